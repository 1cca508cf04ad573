package io.viaduct.bridge.directory;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.directory.SnaptDirectory.Refusal;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.DrainOrder;
import io.viaduct.usage.v1.SnaptStatus;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SnaptClaimsTest {
  private static final String ID = "snapt-1";
  private static final String OTHER_ID = "snapt-2";
  private static final Duration SHORT = Duration.ofMillis(3_400);

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final SnaptDirectory directory =
      new SnaptDirectory(
          List.of(configured(ID), configured(OTHER_ID)), Duration.ofSeconds(15), () -> now);
  private final SnaptClaims claims = new SnaptClaims(directory, () -> now);
  private final Stream first = new Stream("192.0.2.1:1001");
  private final Stream second = new Stream("192.0.2.2:2001");

  private static Snapt configured(String id) {
    byte[] key = Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic());
    return new Snapt(
        id, Base64.getEncoder().encodeToString(key), "owner", "region", Optional.empty());
  }

  private final class Stream implements Announcer {
    private final String peer;
    private final List<Long> probes = new ArrayList<>();
    private final List<DrainOrder> orders = new ArrayList<>();
    private final List<List<String>> told = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    private int accepted;
    private Refusal refusal;

    Stream(String peer) {
      this.peer = peer;
    }

    @Override
    public String peer() {
      return peer;
    }

    @Override
    public void accepted() {
      accepted++;
    }

    @Override
    public void changed() {
      told.add(directory.entries().stream().map(DirectoryEntry::getSnaptId).toList());
    }

    @Override
    public void refresh() {
      // it gets no revocations
    }

    @Override
    public void probe(long number) {
      probes.add(number);
    }

    @Override
    public void order(DrainOrder order) {
      orders.add(order);
    }

    @Override
    public void refuse(Refusal reason, String why) {
      refusal = reason;
      words.add(why);
    }

    void announce(long epoch) {
      announce(ID, peer.substring(0, peer.indexOf(':')), 443, epoch);
    }

    void announce(String id, String host, int port, long epoch) {
      claims.onStatus(
          id,
          this,
          SnaptStatus.newBuilder()
              .setSnaptId(id)
              .setHost(host)
              .setControlPort(port)
              .setDataPort(443)
              .setEpoch(epoch)
              .build());
    }
  }

  private void pass(Duration time) {
    now = now.plus(time);
    claims.onClock();
  }

  private String shown() {
    return host(ID);
  }

  private String host(String id) {
    return directory.all().stream()
        .map(SnaptEntry::status)
        .filter(status -> status != null && status.getSnaptId().equals(id))
        .map(SnaptStatus::getHost)
        .findFirst()
        .orElse("");
  }

  @Test
  void anOrderGoesToTheProcessThatHoldsTheIdAndToNoOther() {
    DrainOrder order = DrainOrder.newBuilder().setDraining(true).setBy("olivia").build();
    assertThat(claims.order(ID, order)).isFalse();
    Stream holder = new Stream("10.0.0.1:1");
    holder.announce(1);
    Stream other = new Stream("10.0.0.2:1");
    other.announce(1);
    assertThat(claims.order(ID, order)).isTrue();
    assertThat(holder.orders).containsExactly(order);
    assertThat(other.orders).isEmpty();
    claims.onEnded(ID, holder);
    claims.onEnded(ID, other);
    assertThat(claims.order(ID, order)).isFalse();
  }

  @Test
  void aSecondProcessIsRefusedAsSoonAsTheFirstAnswersWhateverItsEpoch() {
    first.announce(3);
    second.announce(9);
    assertThat(first.probes).hasSize(1);
    assertThat(second.accepted).isZero();
    first.announce(3);
    assertThat(second.refusal).isEqualTo(Refusal.ID_IN_USE);
    assertThat(second.words)
        .singleElement()
        .asString()
        .contains("'snapt-1'", "192.0.2.1:1001", "an id, a certificate and keys of its own");
    assertThat(shown()).isEqualTo("192.0.2.1");
    assertThat(claims.duplicates(ID)).isEqualTo(new SnaptClaims.Duplicates(1, "192.0.2.2"));
    pass(Duration.ofMinutes(1));
    assertThat(first.refusal).as("silence without a second process").isNull();
  }

  @Test
  void aHigherEpochTakesOverAfterSilenceAndTheFirstIsToldWhy() {
    first.announce(3);
    second.announce(4);
    pass(SHORT);
    assertThat(second.accepted).isZero();
    assertThat(shown()).isEqualTo("192.0.2.1");
    pass(Duration.ofMillis(100));
    assertThat(second.accepted).isEqualTo(1);
    assertThat(shown()).isEqualTo("192.0.2.2");
    assertThat(first.refusal).isEqualTo(Refusal.SUPERSEDED);
    assertThat(first.words).singleElement().asString().contains("192.0.2.2:2001", "epoch 4");
    assertThat(claims.mayReport(ID, "192.0.2.2:2001")).isTrue();
    assertThat(claims.mayReport(ID, "192.0.2.1:1001")).isFalse();
  }

  @Test
  void theSameEpochIsOneProcessWhoseNetworkHasChanged() {
    first.announce(3);
    second.announce(3);
    pass(SnaptClaims.SILENCE);
    assertThat(second.accepted).isEqualTo(1);
  }

  @Test
  void aLowerEpochWaitsUntilTheConnectionOfTheSilentOneHasEnded() {
    first.announce(3);
    second.announce(2);
    pass(SnaptClaims.SILENCE);
    assertThat(second.refusal).isEqualTo(Refusal.LOWER_EPOCH);
    claims.onEnded(ID, first);
    Stream again = new Stream("192.0.2.2:2002");
    again.announce(2);
    assertThat(again.accepted).isEqualTo(1);
  }

  @Test
  void aProcessThatDiedIsFollowedAtOnceAlsoByOneThatWaits() {
    first.announce(3);
    claims.onEnded(ID, first);
    second.announce(4);
    assertThat(second.accepted).isEqualTo(1);
    Stream third = new Stream("192.0.2.3:3001");
    third.announce(5);
    assertThat(third.accepted).isZero();
    claims.onEnded(ID, second);
    assertThat(third.accepted).isEqualTo(1);
    assertThat(shown()).isEqualTo("192.0.2.3");
  }

  @Test
  void aNewStreamOnTheHoldersConnectionIsTheHolders() {
    first.announce(3);
    Stream again = new Stream(first.peer);
    again.announce(3);
    assertThat(again.accepted).isEqualTo(1);
    claims.onEnded(ID, first);
    assertThat(claims.mayReport(ID, "192.0.2.9:1")).as("its end does not free the id").isFalse();
  }

  @Test
  void aThirdProcessIsRefusedWhileASecondWaits() {
    first.announce(3);
    second.announce(4);
    Stream third = new Stream("192.0.2.3:3001");
    third.announce(5);
    assertThat(third.refusal).isEqualTo(Refusal.ID_IN_USE);
    pass(SnaptClaims.SILENCE);
    assertThat(second.accepted).isEqualTo(1);
  }

  @Test
  void whoeverReportsWhileNobodyHoldsTheIdMay() {
    assertThat(claims.mayReport(ID, "192.0.2.9:1")).isTrue();
    first.announce(3);
    assertThat(claims.mayReport(ID, first.peer)).isTrue();
    assertThat(claims.mayReport(ID, "192.0.2.9:1")).isFalse();
  }

  @Test
  void aSnaptWhoseStreamEndsLeavesTheListsAfterThreeSecondsAndTheOthersAreToldAtOnce() {
    first.announce(ID, "192.0.2.1", 443, 1);
    second.announce(OTHER_ID, "192.0.2.2", 443, 1);
    claims.onEnded(ID, first);
    pass(Duration.ofMillis(2_999));
    assertThat(directory.relays()).hasSize(2);
    assertThat(second.told).isEmpty();
    pass(Duration.ofMillis(1));
    assertThat(directory.relays()).extracting(Relay::id).containsExactly(OTHER_ID);
    assertThat(second.told).containsExactly(List.of(OTHER_ID));
    pass(Duration.ofSeconds(1));
    assertThat(second.told).as("once").hasSize(1);
    Stream back = new Stream("192.0.2.1:1002");
    back.announce(ID, "192.0.2.1", 443, 2);
    assertThat(directory.relays()).hasSize(2);
  }

  @Test
  void aShortBreakOfAStreamChangesNoList() {
    first.announce(ID, "192.0.2.1", 443, 1);
    second.announce(OTHER_ID, "192.0.2.2", 443, 1);
    claims.onEnded(ID, first);
    pass(Duration.ofMillis(1_500));
    Stream again = new Stream("192.0.2.1:1002");
    again.announce(ID, "192.0.2.1", 443, 1);
    pass(Duration.ofSeconds(5));
    assertThat(directory.relays()).hasSize(2);
    assertThat(second.told).isEmpty();
  }

  @Test
  void anAddressOfAnotherSnaptIsRefusedUntilThatOneWasSilentForLong() {
    first.announce(ID, "relay.test", 443, 1);
    second.announce(OTHER_ID, "Relay.test", 443, 1);
    assertThat(second.refusal).isEqualTo(Refusal.ADDRESS_IN_USE);
    assertThat(second.words).singleElement().asString().contains("Relay.test:443", "'snapt-1'");
    assertThat(host(OTHER_ID)).isEmpty();
    Stream elsewhere = new Stream("192.0.2.2:2002");
    elsewhere.announce(OTHER_ID, "relay.test", 444, 1);
    assertThat(elsewhere.accepted).as("the same host, another port").isEqualTo(1);
    elsewhere.announce(OTHER_ID, "relay.test", 443, 1);
    assertThat(elsewhere.refusal).as("also of one that is listed").isNotNull();
    claims.onEnded(ID, first);
    pass(Duration.ofSeconds(15));
    Stream early = new Stream("192.0.2.2:2003");
    early.announce(OTHER_ID, "relay.test", 443, 1);
    assertThat(early.accepted).isZero();
    pass(Duration.ofMillis(1));
    Stream late = new Stream("192.0.2.2:2004");
    late.announce(OTHER_ID, "relay.test", 443, 1);
    assertThat(late.accepted).isEqualTo(1);
    Stream back = new Stream("192.0.2.1:1002");
    back.announce(ID, "relay.test", 443, 2);
    assertThat(back.refusal).isEqualTo(Refusal.ADDRESS_IN_USE);
  }

  @Test
  void aWaitingProcessDoesNotGetTheIdWithAnAddressThatWasTakenMeanwhile() {
    first.announce(3);
    second.announce(4);
    Stream other = new Stream("192.0.2.3:1");
    other.announce(OTHER_ID, "192.0.2.2", 443, 1);
    claims.onEnded(ID, first);
    assertThat(second.refusal).isEqualTo(Refusal.ADDRESS_IN_USE);
    assertThat(host(OTHER_ID)).isEqualTo("192.0.2.2");
  }
}
