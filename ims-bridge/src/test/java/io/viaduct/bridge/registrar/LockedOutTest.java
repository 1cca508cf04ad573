package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.bridge.SipSide;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockedOutTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

  private final LocationService locations = new LocationService(2, 10);

  private void register(String user) {
    locations.update(user, List.of(LocationServiceTest.binding(user, 1, 1, NOW, 600)), NOW);
  }

  private List<String> registered() {
    return locations.all(NOW).stream().map(Binding::user).toList();
  }

  @Test
  void aUserWhoIsGoneLosesContactsAlsoThoseThatComeLater() {
    Subscribers subscribers = SipSide.subscribers("alice", "bob");
    LockedOut lockedOut = new LockedOut(subscribers, locations);
    register("alice");
    register("bob");
    lockedOut.onClock();
    assertThat(registered()).containsExactly("alice", "bob");
    subscribers.remove("alice");
    lockedOut.onClock();
    assertThat(registered()).containsExactly("bob");
    register("alice"); // its password was right before
    lockedOut.onClock();
    assertThat(registered()).containsExactly("bob");
  }

  @Test
  void contactsThatComeBeforeTheDirectoryAreLookedAtWhenItIsThere() {
    Subscribers subscribers = new Subscribers();
    LockedOut lockedOut = new LockedOut(subscribers, locations);
    register("alice");
    lockedOut.onClock();
    assertThat(registered()).containsExactly("alice");
    subscribers.replaceAll(List.of());
    lockedOut.onClock();
    assertThat(registered()).isEmpty();
  }
}
