package io.viaduct.bridge.directory;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.configuration.BridgeConfiguration.Snapt;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.SnaptStatus;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
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
    SnaptStatus status =
        SnaptStatus.newBuilder()
            .setSnaptId(id)
            .setHost("relay.test")
            .setControlPort(443)
            .setDataPort(443)
            .setStateValue(state)
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
}
