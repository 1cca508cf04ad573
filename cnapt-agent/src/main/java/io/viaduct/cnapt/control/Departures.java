package io.viaduct.cnapt.control;

import io.netty.channel.EventLoop;
import io.viaduct.tunnel.control.v1.Moved;
import io.viaduct.tunnel.control.v1.Relay;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Leaves the session for one at another SNAPT: because the device wants to, or because its SNAPT
/// hands the session over. It has its control connection until the other SNAPT has sent its
/// Welcome, in a hand-over until it is decided which of the two has it ([WayBack]). Owner: the
/// control loop.
final class Departures {
  private static final Logger LOG = LoggerFactory.getLogger(Departures.class);

  /// The client, which has the present dialog and the session.
  interface Owner {
    /// Returns the dialog that has the session or is to get one, null between two attempts.
    @Nullable ControlDialog dialog();

    /// Returns the session, null if there is none.
    @Nullable Welcomed session();

    /// Connects to the current SNAPT of the list, beside the dialog that is left.
    void connectBeside();

    /// Goes on with a dialog and its session, and gives up any attempt.
    ///
    /// @return the dialog that was present instead
    @Nullable ControlDialog goOn(ControlDialog with, @Nullable Welcomed session);

    /// Tries something once more after the next pause.
    void tryLater(Runnable attempt);

    /// Ends the session, and begins none at another SNAPT now.
    void rest(ControlDialog open, String why);
  }

  private final EventLoop loop;
  private final Candidates candidates;
  private final BackOff backOff;
  private final ControlCounts counts;
  private final ControlListener listener;
  private final Owner owner;
  private final WayBack<ControlDialog, Welcomed> wayBack = new WayBack<>();
  private @Nullable Departure departing;

  Departures(
      EventLoop loop,
      Candidates candidates,
      BackOff backOff,
      ControlCounts counts,
      ControlListener listener,
      Owner owner) {
    this.loop = loop;
    this.candidates = candidates;
    this.backOff = backOff;
    this.counts = counts;
    this.listener = listener;
    this.owner = owner;
  }

  /// Returns whether another SNAPT is asked to take the place of the present one.
  boolean isUnderWay() {
    return departing != null;
  }

  /// Returns the dialog of the session that is being left, null if none is.
  @Nullable ControlDialog from() {
    Departure leaving = departing;
    return leaving == null ? null : leaving.from();
  }

  /// Returns the number of the hand-over for which the session is being left; 0 for none.
  long handOver() {
    Departure leaving = departing;
    return leaving == null ? 0 : leaving.handOver();
  }

  // --- because the device wants to

  /// Leaves the SNAPT, unless it is left already. If the device has enough sessions without this
  /// one, it is the last of its client.
  ///
  /// @param only the only SNAPT that may take its place; null for any
  void want(String why, @Nullable Snapt only) {
    if (departing == null) {
      backOff.succeeded();
      leave(why, only);
    }
  }

  private void leave(String why, @Nullable Snapt only) {
    ControlDialog open = owner.dialog();
    if (open == null || !open.isEstablished() || departing != null || !listener.mayLeave()) {
      return;
    }
    if (listener.isSurplus()) {
      owner.rest(open, why);
      return;
    }
    if (only != null && !candidates.leaveFor(only, 0)) {
      listener.notTaken();
      return;
    }
    if (only == null && !candidates.leave()) {
      if (listener.isSpare()) {
        owner.rest(open, why);
      }
      return;
    }
    LOG.info("leaving {} for {}: {}", owner.session(), candidates.current(), why);
    departing = Departure.wanted(open, why, only);
    owner.connectBeside();
  }

  /// Goes on with the session that was to be left, and tries to leave it later, unless the only
  /// SNAPT that may take its place has failed.
  void stay(boolean isRefused) {
    Departure failed = departing;
    if (failed == null) {
      return;
    }
    departing = null;
    candidates.stay();
    ControlDialog given = owner.goOn(failed.from(), owner.session());
    Snapt only = failed.only();
    if (only != null && isRefused) {
      listener.notTaken();
    } else {
      String why = failed.whyAgain();
      owner.tryLater(() -> leave(why, only));
    }
    if (given != null) {
      given.drop("the device stays where it is");
    }
  }

  // --- because its SNAPT hands the session over

  /// Takes the word of a SNAPT that another one has been prepared to take the session over.
  void moved(ControlDialog by, Moved moved) {
    Relay to = moved.getTo();
    Optional<Snapt> other = Snapt.listed(to.getSnaptId(), to.getHost(), to.getControlPort());
    if (by != owner.dialog() || departing != null) {
      return; // it leaves already
    }
    if (moved.getNumber() == 0
        || other.isEmpty()
        || !candidates.leaveFor(other.get(), moved.getNumber())) {
      counts.moveRefused();
      LOG.warn(
          "{} hands the session over to {}, which the device may not use now: it stays",
          owner.session(),
          other.map(Snapt::toString).orElse("no SNAPT"));
      return;
    }
    LOG.info("leaving {} for {}: it takes the session over", owner.session(), other.get());
    depart(Departure.handedOver(by, moved.getNumber(), false));
  }

  private void depart(Departure now) {
    departing = now;
    backOff.succeeded();
    owner.connectBeside();
  }

  /// Takes the word of a SNAPT that another one has the session.
  void moveDone(ControlDialog by, long number) {
    if (wayBack.isOpenFrom(by)) {
      decided();
      return;
    }
    Welcomed taken = wayBack.takenNevertheless(number, nowNs());
    if (by == owner.dialog()
        && departing == null
        && taken != null
        && candidates.leaveFor(taken.snapt(), number)) {
      LOG.info(
          "leaving {} for {} again: it has taken the session over", owner.session(), taken.snapt());
      depart(Departure.handedOver(by, number, true));
    }
  }

  /// Returns whether the session goes on at the old SNAPT of a hand-over if the new one is lost.
  boolean hasWayBack() {
    return wayBack.isOpen();
  }

  /// Decides about a hand-over of which the SNAPT has not said in time that it is done.
  void moveUndecided(ControlDialog by) {
    ControlDialog open = owner.dialog();
    if (!wayBack.isOpenFrom(by)) {
      by.leave(Departure.HANDED_OVER, () -> {});
    } else if (open != null && open.isEstablished() && !listener.isSilent()) {
      decided();
    } else {
      turnBack("it does not answer");
    }
  }

  /// Leaves the old SNAPT of a hand-over for good.
  void decided() {
    ControlDialog old = wayBack.close();
    if (old != null) {
      old.leave(Departure.HANDED_OVER, () -> {});
    }
  }

  /// Goes on at the SNAPT that has handed the session over, because the other one was lost before
  /// that one has said that it is done: it has the session until then.
  ///
  /// @return false if no hand-over is open
  boolean turnBack(String why) {
    WayBack.Old<ControlDialog, Welcomed> old = wayBack.turn(nowNs());
    if (old == null) {
      return false;
    }
    LOG.warn("going back to {}: {} is lost: {}", old.session(), candidates.current(), why);
    counts.moveTurnedBack();
    backOff.succeeded();
    candidates.turnBack(old.session().snapt(), old.session().welcome().getMovedNumber());
    ControlDialog given = owner.goOn(old.by(), old.session());
    listener.turnedBack(old.session());
    if (given != null) {
      given.drop("the session goes on at another SNAPT");
    }
    old.by().stay();
    return true;
  }

  /// Returns a session at this SNAPT that was left by [#turnBack], null if there is none.
  @Nullable Welcomed leftAt(Snapt at) {
    Welcomed left = wayBack.left(nowNs());
    return left != null && left.snapt().isSameProcess(at) ? left : null;
  }

  private long nowNs() {
    return loop.ticker().nanoTime();
  }

  // --- the other SNAPT

  /// Returns whether the session goes on where it was although the other SNAPT has sent a Welcome:
  /// a flow has begun meanwhile, or that one has not, or no longer, the session of the hand-over.
  boolean isNoArrival(Welcomed by) {
    Departure left = departing;
    return left == null
        ? wayBack.isOpen() && !by.welcome().getResumed()
        : !left.isArrival(by, listener.mayLeave());
  }

  /// Goes on where it was, after [#isNoArrival]; the other connection has been left.
  void arriveNowhere() {
    if (departing == null) {
      turnBack("it does not know the session any more");
    } else {
      stay(false);
    }
  }

  /// Ends the session that was left, if one was: at once, or when its SNAPT says that the hand-over
  /// is done.
  ///
  /// @param before the session until now
  /// @param now that of the Welcome
  void arrived(@Nullable Welcomed before, Welcomed now) {
    Departure left = departing;
    departing = null;
    if (left == null) {
      return;
    }
    decided();
    if (left.isDecided() || before == null) {
      left.leave();
      return;
    }
    wayBack.open(new WayBack.Old<>(left.from(), before), left.handOver(), now);
    left.from().linger(wayBack::close);
  }

  /// Notes that the connection of the session that is left has ended; the attempt at the other
  /// SNAPT goes on.
  ///
  /// @return false if it is another connection
  boolean hasLost(ControlDialog closed) {
    if (closed != from()) {
      return false;
    }
    departing = null;
    candidates.gone();
    return true;
  }

  /// Ends all, because the device stops.
  ///
  /// @return the dialog of the session that is left, null if none is
  @Nullable ControlDialog close() {
    decided();
    ControlDialog from = from();
    departing = null;
    return from;
  }
}
