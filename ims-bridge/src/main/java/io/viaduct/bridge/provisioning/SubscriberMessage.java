package io.viaduct.bridge.provisioning;

import com.google.protobuf.ByteString;
import io.viaduct.bridge.registrar.CreditNotice;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.bridge.registrar.Subscriber;
import io.viaduct.sip.aka.AkaKeys;
import io.viaduct.sip.digest.DigestAlgorithm;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Converts a subscriber between its protobuf message and the bridge's record.
final class SubscriberMessage {
  private static final HexFormat HEX = HexFormat.of();

  private SubscriberMessage() {}

  static Subscriber read(io.viaduct.usage.v1.Subscriber message) {
    Map<DigestAlgorithm, String> ha1 = new HashMap<>();
    if (!message.getHa1Sha256().isEmpty()) {
      ha1.put(DigestAlgorithm.SHA_256, HEX.formatHex(message.getHa1Sha256().toByteArray()));
    }
    if (!message.getHa1Md5().isEmpty()) {
      ha1.put(DigestAlgorithm.MD5, HEX.formatHex(message.getHa1Md5().toByteArray()));
    }
    return new Subscriber(
        message.getAccount(),
        message.getSuspended(),
        ha1,
        message.hasCard() ? Optional.of(card(message.getCard())) : Optional.empty(),
        Set.copyOf(message.getAddressesList()),
        message.getDeviceKeysList().stream()
            .map(key -> ByteBuffer.wrap(key.toByteArray()))
            .collect(Collectors.toSet()),
        credit(message.getCredit()),
        message.hasNotice() ? notice(message.getNotice()) : CreditNotice.NONE);
  }

  private static AkaKeys card(io.viaduct.usage.v1.Card card) {
    return new AkaKeys(
        card.getK().toByteArray(), card.getOpc().toByteArray(), card.getAmf().toByteArray());
  }

  private static CreditNotice notice(io.viaduct.usage.v1.CreditNotice notice) {
    return new CreditNotice(
        notice.getId(),
        credit(notice.getState()),
        notice.getCreditMicrodenarii(),
        notice.getThresholdMicrodenarii(),
        Instant.ofEpochMilli(notice.getNoticedMs()));
  }

  // A state of a later version is at least not an alarm.
  static CreditState credit(io.viaduct.usage.v1.CreditState state) {
    return switch (state) {
      case LOW -> CreditState.LOW;
      case EXHAUSTED -> CreditState.EXHAUSTED;
      case SUFFICIENT, UNRECOGNIZED -> CreditState.SUFFICIENT;
    };
  }

  /// Returns the message for the copy on disk, without the keys of a card: they are worth more than
  /// a digest of this domain, and billing sends them again.
  static io.viaduct.usage.v1.Subscriber write(Subscriber subscriber) {
    io.viaduct.usage.v1.Subscriber.Builder message =
        io.viaduct.usage.v1.Subscriber.newBuilder()
            .setAccount(subscriber.user())
            .setSuspended(subscriber.isSuspended())
            .addAllAddresses(subscriber.addresses())
            .setCredit(io.viaduct.usage.v1.CreditState.valueOf(subscriber.credit().name()));
    CreditNotice notice = subscriber.notice();
    if (notice.id() != 0) {
      message.setNotice(
          io.viaduct.usage.v1.CreditNotice.newBuilder()
              .setId(notice.id())
              .setState(io.viaduct.usage.v1.CreditState.valueOf(notice.state().name()))
              .setCreditMicrodenarii(notice.creditMicrodenarii())
              .setThresholdMicrodenarii(notice.thresholdMicrodenarii())
              .setNoticedMs(notice.noticedAt().toEpochMilli()));
    }
    subscriber
        .ha1()
        .forEach((algorithm, hex) -> {
          ByteString bytes = ByteString.copyFrom(HEX.parseHex(hex));
          switch (algorithm) {
            case SHA_256 -> message.setHa1Sha256(bytes);
            case MD5 -> message.setHa1Md5(bytes);
            case AKAV1_MD5, AKAV2_MD5 ->
                throw new IllegalStateException(algorithm + " has no H(A1) that is kept");
          }
        });
    subscriber
        .deviceKeys()
        .forEach(key -> message.addDeviceKeys(ByteString.copyFrom(key.duplicate())));
    return message.build();
  }
}
