package io.viaduct.snapt.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.viaduct.tunnel.control.v1.Relay;
import io.viaduct.usage.v1.DirectoryEntry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KnownRelaysTest {
  private static final Relay OWN =
      Relay.newBuilder()
          .setSnaptId("snapt-1")
          .setHost("one")
          .setRegion("as configured")
          .setState(Relay.State.SERVING)
          .build();

  private static final ByteString UNSIGNED = ByteString.EMPTY;

  private final KnownRelays relays = new KnownRelays(List.of(), OWN);

  private static DirectoryEntry entry(String id, String region, Long... surcharges) {
    return DirectoryEntry.newBuilder()
        .setSnaptId(id)
        .setHost(id)
        .setRegion(region)
        .addAllSurcharges(List.of(surcharges))
        .build();
  }

  @Test
  void regionAndPriceAreThoseOfTheDirectoryAndTheStateOfThisSnaptIsItsOwn() {
    assertThat(relays.list().getRelays(0)).isEqualTo(OWN);
    assertThat(
            relays.told(
                List.of(entry("snapt-1", "north", 0L, 0L, 0L, 5L), entry("snapt-2", "south", 7L)),
                UNSIGNED))
        .isTrue();
    relays.own(OWN.toBuilder().setState(Relay.State.DRAINING).build());
    Relay own = relays.list().getRelays(0);
    assertThat(own.getState()).isEqualTo(Relay.State.DRAINING);
    assertThat(own.getRegion()).isEqualTo("north");
    assertThat(own.getSurchargesList()).containsExactly(0L, 0L, 0L, 5L);
    assertThat(relays.list().getRelays(1).getSurchargesList()).containsExactly(7L);
    assertThat(relays.own().getSurchargesList()).as("what it tells the bridge of itself").isEmpty();
  }

  @Test
  void anotherPriceIsAChangeAndTheSameDirectoryIsNone() {
    assertThat(relays.told(List.of(entry("snapt-2", "south", 7L)), UNSIGNED)).isTrue();
    assertThat(relays.told(List.of(entry("snapt-2", "south", 7L)), UNSIGNED)).isFalse();
    assertThat(relays.told(List.of(entry("snapt-2", "south", 8L)), UNSIGNED)).isTrue();
  }

  @Test
  void aDeviceThatBelievesTheBridgeGetsTheSignedDirectoryAndThisSnaptsWordOfItself() {
    List<DirectoryEntry> directory = List.of(entry("snapt-2", "south", 7L));
    relays.told(directory, UNSIGNED);
    assertThat(relays.signedList()).as("a bridge that signs none").isEqualTo(relays.list());
    ByteString signed = ByteString.copyFromUtf8("signed");
    assertThat(relays.told(directory, signed)).as("devices need not hear of it").isFalse();
    assertThat(relays.signedList().getRelaysList()).containsExactly(OWN);
    assertThat(relays.signedList().getSignedDirectory()).isEqualTo(signed);
    assertThat(relays.signedList().getComplete()).isFalse();
  }

  @Test
  void aSnaptThatTheListHasNoPlaceForIsFound() {
    List<DirectoryEntry> all = new ArrayList<>();
    for (int i = 1; i <= 200; i++) {
      all.add(entry("snapt-" + i, "north"));
    }
    relays.told(all, UNSIGNED);
    assertThat(relays.list().getRelaysList())
        .extracting(Relay::getSnaptId)
        .hasSize(KnownRelays.RELAYS_MAX)
        .doesNotContain("snapt-200");
    assertThat(relays.leftOut()).isEqualTo(200 - KnownRelays.RELAYS_MAX);
    assertThat(relays.find("snapt-200").orElseThrow().getHost()).isEqualTo("snapt-200");
    assertThat(relays.find("snapt-201")).isEmpty();
  }

  @Test
  void aListOfLongNamesFitsIntoAFrame() {
    List<DirectoryEntry> all = new ArrayList<>();
    for (int i = 1; i <= KnownRelays.RELAYS_MAX; i++) {
      all.add(entry("snapt-" + i, "r".repeat(64)).toBuilder().setHost("h".repeat(600)).build());
    }
    relays.told(all, UNSIGNED);
    assertThat(relays.list().getSerializedSize()).isLessThanOrEqualTo(KnownRelays.BYTES_MAX);
    assertThat(relays.leftOut()).isPositive();
  }
}
