package io.viaduct.cnapt.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/// Hand-overs in which connections break and the new SNAPT dies at any point. The device has the
/// real [WayBack]; the SNAPTs decide as ADR 0050 says: the new one takes the session with the first
/// datagram, and the old one has it until it hears of that.
class WayBackProperties {
  private enum Event {
    WELCOME,
    FIRST_DATAGRAM,
    OLD_HEARS,
    DEVICE_HEARS,
    NEW_CONNECTION_BREAKS,
    NEW_DIES,
    TIME
  }

  private static final int STEPS = 12;
  private static final long NUMBER = 7;

  /// One hand-over.
  private static final class World {
    private final WayBack<String, String> wayBack = new WayBack<>();
    private String device = "old";
    private boolean welcomed;
    private boolean alive = true;
    private boolean taken;
    private boolean oldHasHeard;
    private boolean deviceHasHeard;
    private boolean connected;
    private long nowNs;

    private List<Event> possible() {
      List<Event> events = new ArrayList<>(List.of(Event.TIME));
      add(events, Event.WELCOME, alive && !welcomed);
      add(events, Event.FIRST_DATAGRAM, alive && welcomed && !taken && device.equals("new"));
      add(events, Event.OLD_HEARS, alive && taken && !oldHasHeard);
      add(events, Event.DEVICE_HEARS, oldHasHeard && !deviceHasHeard);
      add(events, Event.NEW_CONNECTION_BREAKS, connected && wayBack.isOpen());
      add(events, Event.NEW_DIES, alive);
      return events;
    }

    private static void add(List<Event> to, Event event, boolean isPossible) {
      if (isPossible) {
        to.add(event);
      }
    }

    private void happen(Event event) {
      switch (event) {
        case WELCOME -> {
          welcomed = true;
          connected = true;
          device = "new";
          wayBack.open(new WayBack.Old<>("to old", "old"), NUMBER, "new");
        }
        case FIRST_DATAGRAM -> taken = true;
        case OLD_HEARS -> oldHasHeard = true;
        case DEVICE_HEARS -> {
          deviceHasHeard = true;
          done();
        }
        case NEW_CONNECTION_BREAKS -> lost();
        case NEW_DIES -> {
          alive = false;
          lost();
        }
        case TIME -> nowNs += 1_000_000_000;
      }
    }

    private void lost() {
      connected = false;
      WayBack.@Nullable Old<String, String> back = wayBack.turn(nowNs);
      if (back != null) {
        device = back.session();
      }
    }

    private void done() {
      if (wayBack.isOpenFrom("to old")) {
        assertThat(wayBack.close()).isEqualTo("to old");
        return;
      }
      String again = wayBack.takenNevertheless(NUMBER, nowNs);
      if (again != null) {
        device = again;
      }
    }

    /// Lets all news arrive that are under way.
    private void settle() {
      for (Event event : List.of(Event.OLD_HEARS, Event.DEVICE_HEARS)) {
        if (possible().contains(event)) {
          happen(event);
        }
      }
    }
  }

  @Property(tries = 2_000)
  void theDeviceEndsAtTheSnaptThatHasItsSession(@ForAll long seed) {
    Random random = new Random(seed);
    World world = new World();
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < STEPS; i++) {
      List<Event> possible = world.possible();
      Event event = possible.get(random.nextInt(possible.size()));
      events.add(event);
      world.happen(event);
    }
    world.settle();
    if (world.deviceHasHeard) {
      assertThat(world.device).as("%s, seed %d", events, seed).isEqualTo("new");
    } else if (!world.alive || !world.taken && !world.connected) {
      assertThat(world.device).as("%s, seed %d", events, seed).isEqualTo("old");
    }
  }
}
