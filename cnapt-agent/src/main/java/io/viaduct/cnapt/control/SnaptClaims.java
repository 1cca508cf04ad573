package io.viaduct.cnapt.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Keeps the control clients of one device from connecting to the same SNAPT: a SNAPT has one
/// session per device key, and would end the earlier one. Only a session that was handed over to it
/// is beside that one: its list is a guest there. A SNAPT may have several names, and is known by
/// its id once it has sent a Welcome. Owner: the control loop.
public final class SnaptClaims {
  private static final int NAMES_MAX = 128;

  private final SnaptOrder order;

  private final Map<Candidates, Snapt> held = new IdentityHashMap<>();
  private final Map<Candidates, Snapt> leaving = new IdentityHashMap<>();
  private final List<Guest> guests = new ArrayList<>();
  private final Map<Snapt, String> ids = new HashMap<>(); // of SNAPTs that are listed without
  private @Nullable HandshakeTimes times;

  // At a SNAPT that another list has. The number is that of the hand-over.
  private record Guest(Candidates list, Snapt at, long handOver) {}

  /// @param order of the device's SNAPTs
  public SnaptClaims(SnaptOrder order) {
    this.order = order;
  }

  /// Creates the claims of an end that takes each list in its order.
  public SnaptClaims() {
    this(SnaptOrder.asListed());
  }

  /// Returns the order of the device's SNAPTs.
  public SnaptOrder order() {
    return order;
  }

  /// Claims a SNAPT in place of the one that this list had.
  ///
  /// @return false if another list has it; the former claim then stays
  boolean claim(Candidates by, Snapt snapt) {
    if (guest(by, snapt) == null && isHeldByOther(by, snapt)) {
      return false;
    }
    held.put(by, snapt);
    return true;
  }

  private boolean isHeldByOther(Candidates by, Snapt snapt) {
    return isHeldByOther(held, by, snapt) || isHeldByOther(leaving, by, snapt);
  }

  private boolean isHeldByOther(Map<Candidates, Snapt> claims, Candidates by, Snapt snapt) {
    return claims.entrySet().stream()
        .anyMatch(each ->
            each.getKey() != by
                && isSame(each.getValue(), snapt)
                && guest(each.getKey(), snapt) == null);
  }

  private @Nullable Guest guest(Candidates list, Snapt at) {
    for (Guest each : guests) {
      if (each.list() == list && isSame(each.at(), at)) {
        return each;
      }
    }
    return null;
  }

  /// Makes a list a guest at a SNAPT to which its session is handed over, if another list has it.
  ///
  /// @param handOver number of the hand-over
  void visit(Candidates by, Snapt at, long handOver) {
    guests.removeIf(each -> each.list() == by && isSame(each.at(), at));
    if (isHeldByOther(by, at)) {
      guests.add(new Guest(by, at, handOver));
    }
  }

  /// Ends the visits of a list, because it has no session there, nor comes for one.
  ///
  /// @param but the SNAPT at which it has one; null for none
  void endVisits(Candidates by, @Nullable Snapt but) {
    guests.removeIf(each -> each.list() == by && (but == null || !isSame(each.at(), but)));
  }

  /// Returns the number of the hand-over by which a list is a guest at a SNAPT; 0 if it is none.
  long visits(Candidates by, Snapt at) {
    Guest guest = guest(by, at);
    return guest == null ? 0 : guest.handOver();
  }

  private boolean isSame(Snapt one, Snapt other) {
    return known(one).isSameSnapt(known(other));
  }

  private Snapt known(Snapt snapt) {
    String id = snapt.id().isEmpty() ? ids.get(snapt) : null;
    return id == null ? snapt : new Snapt(id, snapt.host(), snapt.controlPort());
  }

  /// Records the id that a SNAPT has sent.
  void isNamed(Snapt snapt, String id) {
    if (snapt.id().isEmpty() && (ids.size() < NAMES_MAX || ids.containsKey(snapt))) {
      ids.put(snapt, id);
    }
  }

  /// Returns whether a list has the SNAPT.
  public boolean isHeld(Snapt snapt) {
    return isAny(used(), snapt);
  }

  /// Returns those of a list that no list of a client has, in their order.
  public List<Snapt> free(List<Snapt> listed) {
    List<Snapt> used = used();
    List<Snapt> free = new ArrayList<>(listed.size());
    for (Snapt each : listed) {
      if (!isAny(used, each)) {
        free.add(each);
      }
    }
    return free;
  }

  private List<Snapt> used() {
    List<Snapt> used = new ArrayList<>(held.values());
    used.addAll(leaving.values());
    return used;
  }

  private boolean isAny(List<Snapt> of, Snapt snapt) {
    for (Snapt each : of) {
      if (isSame(each, snapt)) {
        return true;
      }
    }
    return false;
  }

  /// Sets or removes the SNAPT that a list leaves, and has beside its present one.
  void left(Candidates by, @Nullable Snapt snapt) {
    if (snapt == null) {
      leaving.remove(by);
    } else {
      leaving.put(by, snapt);
    }
  }

  /// Returns the SNAPT that a list leaves.
  @Nullable Snapt left(Candidates by) {
    return leaving.get(by);
  }

  /// Sets what measures the SNAPTs that no list has.
  public void measuredBy(SnaptWatch measuring) {
    measuredBy(measuring.times());
  }

  void measuredBy(HandshakeTimes measured) {
    times = measured;
  }

  /// Returns the measured round trip to a SNAPT in ms; NaN if it is not known.
  public double roundTripMs(Snapt snapt) {
    HandshakeTimes measured = times;
    return measured == null ? Double.NaN : measured.roundTripMs(snapt);
  }

  /// Gives up the claim of a list.
  void release(Candidates by) {
    held.remove(by);
  }
}
