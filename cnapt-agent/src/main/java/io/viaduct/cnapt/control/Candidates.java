package io.viaduct.cnapt.control;

import io.viaduct.cnapt.snapts.BetterSnapt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The SNAPTs to which the agent may connect, in order: the configured one first, then the list in
/// the order of this device ([SnaptOrder]).
///
/// The last SNAPT that sent a Welcome is *home*. Home gives this device the same pool address even
/// after a restart, so connections survive. They do not survive a move to another SNAPT. Home is
/// therefore tried again until `snapt-patience` has passed, and any other SNAPT only a few times.
/// Owner: the control loop.
final class Candidates {
  /// Failed attempts in a row after which a SNAPT that is not home is skipped.
  static final int ATTEMPTS_MAX = 3;

  private static final int SNAPTS_MAX = 128; // of a grant or directory

  private final @Nullable Snapt bootstrap;
  private final long patienceNs;
  private final SnaptClaims claims;
  private final Set<Snapt> tried = new HashSet<>(); // since the last Welcome
  private List<Snapt> snapts = List.of();
  private List<Snapt> listed = List.of(); // as it came
  private List<Snapt> offered = List.of(); // the same in order, each once
  private @Nullable Snapt home;
  private @Nullable Snapt dialled;
  private @Nullable Snapt rested; // drains, and is not needed
  private boolean askedAgain; // although no list has it
  private boolean asleep; // other lines suffice
  private int place;
  private int attempts;
  private long failingSinceNs;
  private long keptNs; // time at which home was last known to carry, not before failingSinceNs

  /// @param patienceNs how long home is tried again, in ns
  /// @param claims of all lists of this device: a SNAPT is current in one of them only
  Candidates(SnaptSettings settings, long patienceNs, SnaptClaims claims) {
    this.patienceNs = patienceNs;
    this.claims = claims;
    bootstrap =
        settings.host().isEmpty()
            ? null
            : new Snapt(settings.id(), settings.host(), settings.port());
    replace(List.of());
  }

  /// Replaces the list. The current SNAPT stays current if it is on the list, is dialled now, or is
  /// home, because home may be missing from the list for a short time only.
  void replace(List<Snapt> newest) {
    listed = List.copyOf(newest);
    Snapt drained = rested;
    if (drained != null && isListed(drained)) {
      rested = null; // it serves again
      askedAgain = false;
    }
    Snapt current = current();
    List<Snapt> distinct = new ArrayList<>();
    for (Snapt each : claims.order().sorted(listed)) {
      boolean known = distinct.stream().anyMatch(each::isSameProcess);
      if (!known && distinct.size() < SNAPTS_MAX) {
        distinct.add(each);
      }
    }
    offered = List.copyOf(distinct);
    List<Snapt> next = new ArrayList<>();
    Snapt first = bootstrap;
    if (first != null) {
      next.add(first);
      distinct.removeIf(first::isSameProcess);
    }
    next.addAll(distinct);
    if (home != null && home.equals(claims.left(this)) && !next.contains(home)) {
      next.add(home); // the way back
    }
    if (current != null
        && (current.equals(home) || current.equals(dialled))
        && !next.contains(current)) {
      next.add(current);
    }
    snapts = List.copyOf(next);
    int found = current == null ? -1 : snapts.indexOf(current);
    if (found >= 0) {
      place = found;
    } else {
      begin(0);
    }
  }

  private boolean isListed(Snapt snapt) {
    return listed.stream().anyMatch(snapt::isSameProcess);
  }

  private void begin(int at) {
    place = at;
    attempts = 0;
  }

  /// Returns the SNAPT to connect to, or null while none is known that no other list has, and after
  /// [#sleep].
  @Nullable Snapt current() {
    for (int i = 0; i < snapts.size() && !asleep; i++) {
      int at = (place + i) % snapts.size();
      if (!snapts.get(at).equals(rested) && claims.claim(this, snapts.get(at))) {
        place = at;
        return snapts.get(at);
      }
    }
    claims.release(this);
    return null;
  }

  /// Returns the SNAPT of the attempt that begins now, or null as [#current].
  @Nullable Snapt dial() {
    dialled = current();
    return dialled;
  }

  /// Records a failed attempt at the current SNAPT.
  ///
  /// @param hopeless true if another attempt at the same SNAPT would be useless
  /// @param carries true if home still carries, so that `snapt-patience` begins later
  /// @return true if it is home, and is given up
  boolean failed(boolean hopeless, boolean carries, long nowNs) {
    dialled = null;
    if (attempts++ == 0) {
      failingSinceNs = nowNs;
      keptNs = nowNs;
    }
    keptNs = carries ? nowNs : keptNs;
    boolean isHome = isHome();
    boolean goesOn = !hopeless && (isHome ? nowNs - keptNs < patienceNs : attempts < ATTEMPTS_MAX);
    if (!goesOn) {
      claims.endVisits(this, null);
      moveOn();
    }
    return isHome && !goesOn;
  }

  /// Records that the list has no session any more.
  void sessionOver() {
    claims.endVisits(this, null);
  }

  private void moveOn() {
    if (snapts.size() > 1) {
      begin(next());
    }
  }

  /// Returns the place of the next SNAPT: one that no list has, and that was not tried since the
  /// last Welcome. Of those that the order of the device puts behind no other one, it is the next
  /// of the list than which none is clearly nearer: of several that are about as near, each device
  /// takes its own. One that was not measured comes after those that were.
  private int next() {
    tried.add(snapts.get(place % snapts.size()));
    if (tried.containsAll(snapts)) {
      tried.clear();
    }
    List<Snapt> free = freeAfterPlace();
    if (free.isEmpty()) {
      return (place + 1) % snapts.size();
    }
    SnaptOrder order = claims.order();
    List<Snapt> best =
        free.stream()
            .filter(each -> free.stream().noneMatch(other -> order.isBehind(each, other)))
            .toList();
    double nearestMs =
        best.stream()
            .mapToDouble(claims::roundTripMs)
            .filter(ms -> !Double.isNaN(ms))
            .min()
            .orElse(Double.NaN);
    Snapt next =
        best.stream()
            .filter(each -> BetterSnapt.isAboutAsNear(claims.roundTripMs(each), nearestMs))
            .findFirst()
            .orElse(best.getFirst());
    return snapts.indexOf(next);
  }

  private List<Snapt> freeAfterPlace() {
    List<Snapt> free = new ArrayList<>();
    for (int i = 1; i < snapts.size(); i++) {
      Snapt each = snapts.get((place + i) % snapts.size());
      if (!tried.contains(each) && !claims.isHeld(each)) {
        free.add(each);
      }
    }
    return free;
  }

  /// Moves on from a SNAPT that works, if there is another one that no other list has. The one that
  /// is left stays claimed until the next Welcome, [#stay] or [#gone].
  ///
  /// @return false if there is none; the current one then stays
  boolean leave() {
    Snapt before = current();
    int at = place;
    moveOn();
    Snapt next = current();
    if (before == null || next == null || next.equals(before)) {
      place = at;
      current(); // which claims it again
      return false;
    }
    claims.left(this, before);
    return true;
  }

  /// Moves on to this SNAPT, as [#leave].
  ///
  /// @param handOver number of the hand-over by which it takes the session over: another list may
  ///   then have it too. 0 if it does not
  /// @return false if the list does not have it, or another list has it; the current one then stays
  boolean leaveFor(Snapt to, long handOver) {
    Snapt before = current();
    int at = place;
    int found = -1;
    for (int i = 0; i < snapts.size(); i++) {
      found = snapts.get(i).isSameSnapt(to) ? i : found;
    }
    if (before == null || found < 0 || before.isSameSnapt(to)) {
      return false;
    }
    begin(found);
    if (handOver != 0) {
      claims.visit(this, snapts.get(found), handOver);
    }
    if (!snapts.get(found).equals(current())) {
      claims.endVisits(this, before);
      begin(at);
      current(); // which claims it again
      return false;
    }
    claims.left(this, before);
    return true;
  }

  /// Gives up the current SNAPT, which drains, although no other one is free. It is not current
  /// again before a list has it, or [#restIsOver].
  void rest() {
    rested = current();
    home = null;
    dialled = null;
    tried.clear();
    attempts = 0;
    current(); // which claims another one, or none
  }

  /// Does the same for a SNAPT that has refused because it drains, if no other one is free.
  ///
  /// @return false if another one is current now
  boolean restAt(@Nullable Snapt refuser) {
    if (refuser == null || !refuser.equals(current())) {
      return false;
    }
    rest();
    return true;
  }

  /// Lets the SNAPT that was given up be current again. A drain that was over soon is in no later
  /// list, so it is asked once although the newest list has left it out: that may be its own. Then
  /// another list will have it.
  ///
  /// @return false if there is none, or a list will have it
  boolean restIsOver() {
    Snapt drained = rested;
    if (drained == null) {
      return false;
    }
    if (!listed.isEmpty() && !isListed(drained)) {
      if (askedAgain) {
        return false;
      }
      askedAgain = true;
    }
    rested = null;
    return true;
  }

  /// Gives up every SNAPT: none is current before [#wake].
  void sleep() {
    home = null;
    dialled = null;
    rested = null;
    askedAgain = false;
    tried.clear();
    attempts = 0;
    asleep = true;
    claims.left(this, null);
    claims.endVisits(this, null);
    claims.release(this);
  }

  /// Makes this SNAPT current, or the next one that no other list has. Does nothing unless [#sleep]
  /// was called before.
  ///
  /// @return whether it was
  boolean wake(Snapt first) {
    boolean slept = asleep;
    if (slept) {
      asleep = false;
      int at = 0;
      for (int i = 0; i < snapts.size(); i++) {
        at = snapts.get(i).isSameSnapt(first) ? i : at;
      }
      begin(at);
    }
    return slept;
  }

  /// Turns back to the SNAPT that [#leave] has moved on from, because the other one has failed.
  /// That one is tried again after all others.
  void stay() {
    dialled = null;
    Snapt back = claims.left(this);
    claims.left(this, null);
    claims.endVisits(this, back);
    if (snapts.isEmpty() || back == null) {
      return;
    }
    tried.add(snapts.get(place % snapts.size()));
    int found = snapts.indexOf(back);
    begin(found < 0 ? 0 : found);
    current(); // which claims it again
  }

  /// Turns back to the SNAPT that has handed the session over: it is home again, although no list
  /// has it while it drains. The other one is tried again after all others.
  ///
  /// @param handOver number of the hand-over by which that one has the session; 0 for none
  void turnBack(Snapt to, long handOver) {
    dialled = null;
    if (!snapts.isEmpty()) {
      tried.add(snapts.get(place % snapts.size()));
    }
    if (!snapts.contains(to)) {
      List<Snapt> longer = new ArrayList<>(snapts);
      longer.add(to);
      snapts = List.copyOf(longer);
    }
    home = to;
    arrive(to, handOver);
    begin(snapts.indexOf(to));
    current(); // which claims it again
  }

  private void arrive(Snapt at, long handOver) {
    if (handOver != 0) {
      claims.visit(this, at, handOver);
    }
    claims.endVisits(this, handOver == 0 ? null : at);
  }

  /// Returns the number of the hand-over by which the list has a SNAPT that another list has too; 0
  /// if it has it alone. A Hello there names it: another one would end the session of that list.
  long visits(Snapt at) {
    return claims.visits(this, at);
  }

  /// Gives up the claim of the SNAPT that is left, because its connection has ended.
  void gone() {
    claims.left(this, null);
  }

  /// Returns true if the next attempt is at home, within the time of `snapt-patience`.
  boolean isPatient(long nowNs) {
    return isHome() && (attempts == 0 || nowNs - failingSinceNs < patienceNs);
  }

  private boolean isHome() {
    Snapt current = current();
    return current != null && current.equals(home);
  }

  /// Records a Welcome, whose SNAPT becomes home.
  ///
  /// @param id that it has sent; the configuration may leave it out
  /// @param handOver number of the hand-over by which it has the session; 0 for none
  /// @return false if another list has this SNAPT under another name, or the session there that was
  ///   handed over has ended; [#current] is another one from now on
  boolean succeeded(Snapt by, String id, long handOver) {
    claims.isNamed(by, id);
    arrive(by, handOver);
    if (!claims.claim(this, by)) {
      return false;
    }
    askedAgain = false;
    dialled = null;
    home = by;
    int found = snapts.indexOf(by);
    place = found < 0 ? place : found;
    claims.left(this, null);
    tried.clear();
    attempts = 0;
    return true;
  }

  /// Resets the failures, because failures on the old network say nothing about a SNAPT. Home is
  /// tried first, for the full time of `snapt-patience`.
  void networkChanged() {
    int found = home == null ? -1 : snapts.indexOf(home);
    begin(found < 0 ? place : found);
  }

  /// Returns the SNAPTs of the list, in the order of this device. The configured one is among them
  /// only if the list has it: otherwise it drains, was removed, or is not known.
  List<Snapt> offered() {
    return offered;
  }
}
