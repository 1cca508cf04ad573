package io.viaduct.bridge.directory;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SnaptStatus;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SnaptDirectoryTest {
  private static final Duration STALE_AFTER = Duration.ofSeconds(15);

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final SnaptDirectory directory =
      new SnaptDirectory(
          List.of(configured("snapt-1"), configured("snapt-2")), STALE_AFTER, () -> now);

  private static Snapt configured(String id) {
    byte[] key = Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic());
    return new Snapt(
        id, Base64.getEncoder().encodeToString(key), "owner", "region", Optional.empty());
  }

  private void announces(String id, int state) {
    announces(id, state, 0);
  }

  private void announces(String id, int state, int loadPercent) {
    SnaptStatus status =
        SnaptStatus.newBuilder()
            .setSnaptId(id)
            .setHost("relay.test")
            .setControlPort(443)
            .setDataPort(443)
            .setStateValue(state)
            .setLoadPercent(loadPercent)
            .build();
    assertThat(directory.refusal(id, status)).isEmpty();
    directory.note(id, status);
  }

  @Test
  void aStateOfALaterVersionIsPassedOnAsItIs() {
    announces("snapt-1", 7);
    announces("snapt-2", 1);
    assertThat(directory.entries()).extracting(DirectoryEntry::getStateValue).containsExactly(7, 1);
    assertThat(directory.relays()).as("only one that drains is kept back").hasSize(2);
  }

  @Test
  void afterAStartNoListIsToldOrGrantedUntilAllHaveAnnouncedThemselvesOrAreStale() {
    announces("snapt-1", 1);
    assertThat(directory.entries()).isEmpty();
    assertThat(directory.relays()).isEmpty();
    now = now.plus(STALE_AFTER).minusMillis(1);
    announces("snapt-1", 1);
    assertThat(directory.entries()).isEmpty();
    assertThat(directory.relays()).isEmpty();
    now = now.plusMillis(1);
    assertThat(directory.entries())
        .extracting(DirectoryEntry::getSnaptId)
        .containsExactly("snapt-1");
    assertThat(directory.relays()).hasSize(1);
    announces("snapt-2", 1);
    assertThat(directory.entries()).hasSize(2);
    assertThat(directory.relays()).hasSize(2);
  }

  @Test
  void theListsAreTheSameObjectsUntilTheyChange() {
    announces("snapt-1", 1);
    announces("snapt-2", 1);
    List<DirectoryEntry> entries = directory.entries();
    List<Relay> relays = directory.relays();
    announces("snapt-1", 1);
    now = now.plusSeconds(3);
    announces("snapt-2", 1);
    assertThat(directory.entries()).isSameAs(entries);
    assertThat(directory.relays()).isSameAs(relays);
    announces("snapt-1", 2);
    assertThat(directory.entries()).extracting(DirectoryEntry::getStateValue).containsExactly(2, 1);
    assertThat(directory.relays()).as("snapt-1 drains").hasSize(1);
  }

  @Test
  void aSnaptThatIsSilentLeavesTheListsWithoutAnEvent() {
    announces("snapt-1", 1);
    now = now.plusSeconds(1);
    announces("snapt-2", 1);
    now = now.plus(STALE_AFTER).minusSeconds(1);
    assertThat(directory.relays()).hasSize(2);
    now = now.plusNanos(1);
    assertThat(directory.relays()).extracting(Relay::id).containsExactly("snapt-2");
    assertThat(directory.entries()).hasSize(1);
    announces("snapt-1", 1);
    assertThat(directory.relays()).hasSize(2);
    directory.away("snapt-1");
    assertThat(directory.relays()).extracting(Relay::id).containsExactly("snapt-2");
  }

  /// Announces loads one after the other, and returns those that devices are told.
  private List<Integer> told(int... loads) {
    List<Integer> told = new ArrayList<>();
    announces("snapt-2", 1);
    for (int load : loads) {
      announces("snapt-1", 1, load);
      now = now.plusSeconds(3); // the lists are made anew
      told.add(directory.entries().getFirst().getLoadPercent());
    }
    return told;
  }

  @Test
  void aLoadThatWobblesByLessThanAStepIsToldOnce() {
    assertThat(told(40, 43, 38, 49, 31, 40)).containsOnly(40);
  }

  @Test
  void aLoadIsToldWhenItHasMovedByAStep() {
    assertThat(told(40, 49, 50, 41, 40)).containsExactly(40, 40, 50, 50, 40);
  }

  @Test
  void aLoadThatWobblesAroundTheLimitOfFullSnaptsIsToldAtOnceAndTakenBackByAStep() {
    assertThat(told(78, 80, 82, 80, 82, 78, 72)).containsExactly(78, 78, 82, 82, 82, 82, 72);
  }

  @Test
  void anotherStateIsToldAtOnceWithTheLoadAsItWasTold() {
    assertThat(told(40, 45)).containsOnly(40);
    announces("snapt-1", 2, 45);
    assertThat(directory.entries().getFirst().getStateValue()).isEqualTo(2);
    assertThat(directory.entries().getFirst().getLoadPercent()).isEqualTo(40);
  }
}
