package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.cnapt.control.BridgeDirectory.Refusal;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.Directory;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SignedDirectory;
import io.viaduct.usage.v1.SnaptState;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BridgeDirectoryTest {
  private static final long GRANTED_MS = 1_764_000_000_000L;

  private final KeyPair key = Ed25519.generate();
  private long nowNs = 7;
  private final BridgeDirectory bridge = new BridgeDirectory(() -> nowNs);

  private void grant() {
    bridge.granted(new BridgeKeys(Map.of("k1", key.getPublic()), GRANTED_MS));
  }

  private static ByteString signed(long version, String keyId, PrivateKey by, String... ids) {
    Directory.Builder directory = Directory.newBuilder().setVersion(version);
    for (String id : ids) {
      directory.addEntries(
          DirectoryEntry.newBuilder()
              .setSnaptId(id)
              .setHost(id)
              .setControlPort(443)
              .setState(SnaptState.DRAINING)
              .setLoadPercent(40)
              .addSurcharges(7));
    }
    ByteString bytes = directory.build().toByteString();
    return SignedDirectory.newBuilder()
        .setDirectory(bytes)
        .setSignature(SignedMessage.SNAPT_DIRECTORY.sign(by, bytes))
        .setKeyId(keyId)
        .build()
        .toByteString();
  }

  private ByteString signed(long version) {
    return signed(version, "k1", key.getPrivate(), "snapt-1");
  }

  @Test
  void aDirectoryOfAGrantedKeySaysStateLoadAndPriceOfAllSnapts() {
    grant();
    assertThat(bridge.read(signed(GRANTED_MS + 1, "k1", key.getPrivate(), "snapt-1", "snapt-2")))
        .hasValueSatisfying(all -> {
          assertThat(all).extracting(Relay::getSnaptId).containsExactly("snapt-1", "snapt-2");
          assertThat(all.getFirst().getState()).isEqualTo(Relay.State.DRAINING);
          assertThat(all.getFirst().getLoadPercent()).isEqualTo(40);
          assertThat(all.getFirst().getSurchargesList()).containsExactly(7L);
        });
  }

  @Test
  void whatTheBridgeHasNotSignedIsRefused() {
    assertThat(bridge.isSigned()).isFalse();
    assertThat(bridge.read(signed(GRANTED_MS))).as("no key is granted").isEmpty();
    grant();
    assertThat(bridge.isSigned()).isTrue();
    KeyPair snapts = Ed25519.generate();
    assertThat(bridge.read(signed(GRANTED_MS, "k2", snapts.getPrivate(), "snapt-1"))).isEmpty();
    assertThat(bridge.refused(Refusal.UNKNOWN_KEY)).isEqualTo(2);
    assertThat(bridge.read(signed(GRANTED_MS, "k1", snapts.getPrivate(), "snapt-1"))).isEmpty();
    assertThat(bridge.refused(Refusal.FORGED)).isEqualTo(1);
    assertThat(bridge.read(signed(GRANTED_MS, "k1", key.getPrivate()))).as("none").isEmpty();
    assertThat(bridge.read(ByteString.copyFromUtf8("no message"))).isEmpty();
    assertThat(bridge.refused(Refusal.MALFORMED)).isEqualTo(2);
  }

  @Test
  void aSnaptCannotShowAnOlderDirectoryThanAnotherOneHasShown() {
    grant();
    assertThat(bridge.read(signed(GRANTED_MS + 20))).isPresent();
    assertThat(bridge.read(signed(GRANTED_MS + 20))).as("the same by another SNAPT").isPresent();
    assertThat(bridge.read(signed(GRANTED_MS + 19))).isEmpty();
    assertThat(bridge.refused(Refusal.OLDER)).isEqualTo(1);
  }

  @Test
  void aDirectoryThatWasWithheldForAMinuteIsRefusedByTheClockOfTheBridge() {
    grant();
    nowNs += 30_000_000_000L;
    long limit = GRANTED_MS + 30_000 - BridgeDirectory.AGE_MS_MAX;
    BridgeDirectory other = new BridgeDirectory(() -> nowNs);
    other.granted(new BridgeKeys(Map.of("k1", key.getPublic()), GRANTED_MS + 30_000));
    assertThat(bridge.read(signed(limit - 1))).isEmpty();
    assertThat(bridge.refused(Refusal.TOO_OLD)).isEqualTo(1);
    assertThat(bridge.read(signed(limit))).isPresent();
    assertThat(other.read(signed(limit))).isPresent();
  }

  @Test
  void aBridgeWhoseClockWasSetBackIsBelievedAfterItsNextGrant() {
    grant();
    assertThat(bridge.read(signed(GRANTED_MS + 3_600_000))).isPresent();
    assertThat(bridge.read(signed(GRANTED_MS + 5))).isEmpty();
    grant();
    assertThat(bridge.read(signed(GRANTED_MS + 5))).isPresent();
  }
}
