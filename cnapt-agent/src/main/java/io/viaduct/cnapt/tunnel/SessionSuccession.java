package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.terms.TunnelRole;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The sessions of one end of a tunnel, and which of them carries:
///
///     install   a session begins on the paths of the one before, which ends
///     follow    another SNAPT takes the session over: the next session opens paths of its own
///               beside the present one, and carries from its first answer on
///     carryAgain   the one before carries again, because the SNAPT that should follow is lost
///
/// Owner: the data path's event loop; any thread may read [#current].
final class SessionSuccession implements CarryingSession.Owner {
  /// Longest time for which the present session carries while the next one awaits its first answer,
  /// in ms. Behind a network that blocks UDP there is none before the control connection carries.
  static final long FIRST_ANSWER_MS = 1_000;

  /// Time for which the session of a lost SNAPT is kept after [#carryAgain], in ms: that SNAPT may
  /// have taken the session over, and its packets still come.
  static final long TURNED_BACK_MS = 30_000;

  /// Hears of the sessions.
  interface Owner {
    /// Called for a flow of any session that has opened or ended.
    void flowChanged(FlowState flow, boolean isOpen);

    /// Called when the flows of one session are in another one, which carries now.
    void flowsMoved();

    /// Called after each batch of the present session, and when it has ended.
    void counted();
  }

  private static final Logger LOG = LoggerFactory.getLogger(SessionSuccession.class);

  private final DataLoop at;
  private final TunnelRole role;
  private final TunnelPaths.Factory factory;
  private final Owner owner;
  private final Retirement retirement;
  private final List<UsableLink> links = new ArrayList<>();
  private final PathTotals.Sum totals = new PathTotals.Sum();
  private Policy policy;
  private volatile CarryingSession current; // written by the event loop
  private @Nullable CarryingSession next; // awaits its first answer

  /// Opens the paths of the first session.
  ///
  /// @throws SocketException if a socket cannot be opened
  SessionSuccession(
      DataLoop at, TunnelRole role, Policy policy, TunnelPaths.Factory factory, Owner owner)
      throws SocketException {
    this.at = at;
    this.role = role;
    this.policy = policy;
    this.factory = factory;
    this.owner = owner;
    this.retirement = new Retirement(at);
    this.current = open();
  }

  private CarryingSession open() throws SocketException {
    return new CarryingSession(at, role, policy, this, factory, totals);
  }

  /// Returns the session that carries. Any thread may call this.
  CarryingSession current() {
    return current;
  }

  /// Returns the session that the control connection belongs to.
  CarryingSession newest() {
    CarryingSession following = next;
    return following == null ? current : following;
  }

  /// Does something with the present session, and with the one that follows.
  void onEach(Consumer<CarryingSession> work) {
    work.accept(current);
    CarryingSession following = next;
    if (following != null) {
      work.accept(following);
    }
  }

  /// Begins a session on the paths of the present one, which ends.
  void install(SessionParameters parameters) {
    dropNext();
    current.begin(parameters);
    at.begun().run();
    current.tick();
  }

  /// Opens a session beside the present one, which its SNAPT takes over. The present one carries
  /// until the next one has its first answer, then for [Retirement#LASTS_MS] it takes what is under
  /// way to it.
  void follow(SessionParameters parameters) {
    dropNext();
    if (current.session() == null) {
      install(parameters);
      return;
    }
    try {
      CarryingSession opened = open();
      links.forEach(each -> opened.paths().linkChanged(null, each, at.nowNs()));
      next = opened;
      opened.begin(parameters);
      opened.tick();
      at.loop().schedule(() -> carryBy(opened), FIRST_ANSWER_MS, TimeUnit.MILLISECONDS);
    } catch (SocketException e) {
      LOG.warn("{}: its flows begin anew: {}", parameters.snapt(), e.getMessage());
      install(parameters);
    }
  }

  /// Lets the next session carry, unless it does already or is no longer wanted.
  private void carryBy(CarryingSession following) {
    if (next == following) {
      next = null;
      carryBy(following, Retirement.LASTS_MS);
    }
  }

  private void carryBy(CarryingSession now, long keptMs) {
    CarryingSession before = current;
    current = now; // listeners to its flows find them there
    now.takeOver(before);
    owner.flowsMoved();
    retirement.begin(before, keptMs);
    at.stateChanged().run();
    now.tick();
  }

  /// Lets a session carry again that was left for the present one, or goes on with the present one
  /// if that is the session and another one should follow: the other one is kept for a time. Does
  /// nothing if neither is the case.
  ///
  /// @param ownReceiverIndex of the session
  void carryAgain(int ownReceiverIndex) {
    CarryingSession following = next;
    if (current.hasIndex(ownReceiverIndex)) {
      if (following != null) {
        next = null;
        retirement.begin(following, TURNED_BACK_MS);
      }
      return;
    }
    CarryingSession kept = retirement.take(ownReceiverIndex);
    if (kept != null) {
      dropNext();
      carryBy(kept, TURNED_BACK_MS);
    }
  }

  private void dropNext() {
    CarryingSession unused = next;
    next = null;
    if (unused != null) {
      unused.close();
    }
  }

  /// Ends the present session; its paths stay for the next one.
  void rest() {
    dropNext();
    current.flushFinally();
    current.end();
    current.state().stays();
    current.paths().control(null, at.nowNs());
  }

  /// Sends the last statistics of the flows, ends all sessions, and closes the sockets.
  void close() {
    dropNext();
    current.flushFinally();
    current.close();
    retirement.end();
  }

  /// Returns whether a session that another SNAPT has taken over is kept.
  boolean isRetiring() {
    return retirement.isUnderWay();
  }

  /// Returns whether a session awaits its first answer beside the present one.
  boolean isFollowed() {
    return next != null;
  }

  // --- what all sessions have in common

  /// Takes a difference of the links that may be used: each of them gets a path.
  void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now) {
    links.remove(before);
    if (now != null) {
      links.add(now);
    }
    changed(paths -> paths.linkChanged(before, now, at.nowNs()));
  }

  /// Changes the paths of each session, after which an answer of its SNAPT is awaited.
  void changed(Consumer<TunnelPaths> change) {
    onEach(each -> {
      each.state().expect(at.nowNs());
      change.accept(each.paths());
      each.tick();
    });
  }

  /// Uses other rules for the paths of all flows.
  void distribute(Policy other) {
    policy = other;
    onEach(each -> each.distribute(other));
  }

  /// Returns the counts of the paths of all sessions. Any thread may call this.
  PathTotals pathTotals() {
    return totals.now();
  }

  // --- events of the sessions

  @Override
  public void flowChanged(CarryingSession of, FlowState flow, boolean isOpen) {
    if (isOpen) {
      of.state().opened();
    }
    owner.flowChanged(flow, isOpen);
  }

  @Override
  public @Nullable FlowState flowBeside(CarryingSession than, FlowState flow) {
    FlowState found = flowOf(current, than, flow);
    found = found == null ? flowOf(next, than, flow) : found;
    return found == null ? flowOf(retirement.kept(), than, flow) : found;
  }

  private static @Nullable FlowState flowOf(
      @Nullable CarryingSession in, CarryingSession than, FlowState flow) {
    return in == null || in == than ? null : in.same(flow);
  }

  @Override
  public void counted(CarryingSession of) {
    if (of == current) {
      owner.counted();
    }
  }

  @Override
  public void silenceChanged(CarryingSession of) {
    if (of == next && !of.paths().isSilent()) {
      at.loop().execute(() -> carryBy(of)); // behind the datagram that has the answer
    }
    at.stateChanged().run();
  }
}
