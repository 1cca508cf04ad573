package io.viaduct.tunnel.session;

import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.pacing.LinkRate;
import io.viaduct.tunnel.pacing.TrainRun;
import io.viaduct.tunnel.path.Bindings;
import io.viaduct.tunnel.path.Candidate;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.path.PeerClock;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.PathMeasurement;
import io.viaduct.tunnel.wire.PathMessage;
import io.viaduct.tunnel.wire.ProbeBody;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// Handles PATH messages at either end. The agent opens paths, probes them, answers challenges, and
/// decides which paths and which carrier are used. The SNAPT answers probes, challenges new
/// addresses, binds them to paths, and follows the agent's decision. A datagram without source
/// address came by the control connection.
final class PathExchange {
  /// Bounds of the time for which packets wait for the answer to a challenge.
  private static final long MOVING_NS_MIN = 50_000_000;

  private static final long MOVING_NS_MAX = 500_000_000;

  /// Bytes of the outer IP packet that pays the answers to a PROBE at a new address.
  private static final int PAID_BYTES = PathMtuSearch.LEAST;

  /// Time for which expected rates count: a link with the same name may be another one later.
  private static final long EXPECTED_NS = 10_000_000_000L;

  private final boolean agent;
  private final boolean copies;
  private final boolean shares;
  private final boolean namesLinks;
  private final boolean tries;
  private final RandomGenerator random;
  private final SessionPaths paths;
  private final PathMoves moves;
  private final PeerClock peerClock;
  private final FlowTable flows;
  private final PathListener listener;
  private final Bindings bindings;
  private final UnprovenAddresses unproven;
  private final CarrierState carrier = new CarrierState();
  private final ProbeBody probe = new ProbeBody();
  private long useSequence = -1;
  private int uncredited; // bytes of the datagram at hand that no address has credit for yet
  private List<LinkRate> expected = List.of();
  private long expectedNs;

  PathExchange(
      SessionState state, OutboundHalf outbound, PathListener listener, RandomGenerator random) {
    this.agent = state.atDevice;
    this.copies = state.terms.limits().hasCopies();
    this.shares = state.terms.limits().hasMeasurements();
    this.namesLinks = state.terms.limits().hasLinkNames();
    this.tries = state.terms.limits().hasPathTrials();
    this.random = random;
    this.paths = outbound.paths;
    this.moves = outbound.moves;
    this.peerClock = state.peerClock;
    this.flows = state.flows;
    this.listener = listener;
    this.bindings = new Bindings(paths.most(), random, listener::leaveAlike);
    this.unproven = new UnprovenAddresses(agent, paths, bindings);
  }

  /// Sets the address of the control connection.
  void bindAtOnceOnly(InetAddress from) {
    bindings.bindAtOnceOnly(from);
  }

  /// Returns the address of a path's datagrams, null for the agent.
  @Nullable InetSocketAddress boundTo(SessionPath path) {
    return bindings.address(path.id);
  }

  /// Returns whether datagrams may leave by the path.
  boolean carries(SessionPath path) {
    return agent
        || !carrier.isUdp()
        || bindings.address(path.id) != null && !path.isMoving() && !path.silent;
  }

  /// Returns whether datagrams may leave by a path that moves, to both its addresses: no other path
  /// takes them, and the new address has credit.
  boolean carriesToBoth(SessionPath path) {
    return path.isMoving()
        && path.candidate != null
        && path.candidate.credit() > 0
        && carrier.isUdp()
        && !path.silent
        && paths.isUsable(path);
  }

  /// Lets the packets of a path wait, because a probe has named it at a new address: its old one is
  /// probably gone. They wait until the new address has answered, the old one is heard, or two
  /// round trips have passed. So a delayed probe stops nothing for long.
  private void moves(SessionPath path, long nowNs) {
    if (bindings.address(path.id) != null && !path.isMoving() && nowNs >= path.stayNs) {
      double twiceNs = 2 * path.roundTripUs() * 1000; // NaN becomes 0
      path.movingUntilNs = nowNs + Math.clamp((long) twiceNs, MOVING_NS_MIN, MOVING_NS_MAX);
      path.stayNs = path.movingUntilNs + MOVING_NS_MAX;
      moves.follow(this::carries, nowNs);
    }
  }

  private void settles(SessionPath path, long nowNs) {
    if (path.isMoving()) {
      path.movingUntilNs = Long.MAX_VALUE;
      moves.follow(this::carries, nowNs);
    }
  }

  Carrier carrier() {
    return carrier.carrier();
  }

  /// Returns the path that a datagram came by, null if its address is new.
  @Nullable SessionPath pathOf(@Nullable InetSocketAddress from) {
    if (from == null || !paths.areMany()) {
      return paths.first();
    }
    return paths.find(bindings.pathOf(from));
  }

  /// Sets the use of a path, at the agent. The next probe tells the SNAPT.
  void use(int id, PathUse use, long nowNs) {
    paths.use(paths.open(id), use);
    moves.follow(this::carries, nowNs);
  }

  /// Leaves a path, or takes it again, by this end's own finding; the device is not told.
  void silent(SessionPath path, boolean silent, long nowNs) {
    path.silent = silent;
    moves.follow(this::carries, nowNs);
  }

  /// Sends datagrams by this carrier from now on, and asks the SNAPT to do the same (agent only).
  /// Repeating the call repeats the request.
  void carryBy(Carrier chosen, boolean controlStands) {
    if (chosen == Carrier.CONTROL && !controlStands) {
      throw new IllegalStateException("there is no control connection");
    }
    SessionPath by = paths.usable()[0];
    by.messages.add(new PathMessage.CarryBy(chosen == Carrier.CONTROL), chosen, null);
    carrier(chosen);
  }

  /// Switches to UDP, because the control connection is gone.
  void controlLost() {
    carrier(Carrier.UDP);
  }

  private void carrier(Carrier chosen) {
    if (carrier.set(chosen)) {
      for (SessionPath each : paths.open()) {
        each.changed();
      }
      listener.carriedBy(chosen);
    }
  }

  private void answers(@Nullable SessionPath path, long nowNs) {
    if (path != null && carrier.isUdp()) {
      path.answers(nowNs);
    }
  }

  /// Sends the MTU probes that are due.
  void tick(long nowNs) {
    for (SessionPath each : paths.open()) {
      if (nowNs >= each.movingUntilNs) {
        settles(each, nowNs);
      }
      double roundTripUs = each.roundTripUs();
      long roundTripNs = Double.isNaN(roundTripUs) ? 0 : (long) (roundTripUs * 1000);
      PathMtuSearch mtu = each.mtu;
      for (int size = mtu.tick(nowNs, roundTripNs); size > 0; size = mtu.tick(nowNs, roundTripNs)) {
        each.messages.add(new PathMessage.MtuProbe(each.mtuRun, size), Carrier.UDP, boundTo(each));
      }
    }
  }

  /// Queues a probe of a path (agent only). A padded message follows the first one since the path
  /// has changed: the SNAPT sends no more bytes to a new address than have come from there, and so
  /// the answer need not wait for the proof of the address.
  void probe(int id, Carrier by, long nowNs) {
    SessionPath path = paths.open(id);
    PathMessage.Probe probe = path.probes.next(nowNs / 1000);
    path.messages.add(paths.areMany() ? naming(probe, path, by, nowNs) : probe, by, null);
    if (path.unknown && path.payingRun < 0 && by == Carrier.UDP && carrier.isUdp()) {
      path.payingRun = path.mtuRun;
      path.messages.add(new PathMessage.MtuProbe(path.mtuRun, PAID_BYTES), by, null);
    }
  }

  private PathMessage.Probe naming(
      PathMessage.Probe probe, SessionPath path, Carrier by, long nowNs) {
    int used = 0;
    int spare = 0;
    for (SessionPath each : paths.open()) {
      used |= each.use == PathUse.NO ? 0 : 1 << each.id;
      spare |= each.use == PathUse.SPARE ? 1 << each.id : 0;
    }
    return new PathMessage.Probe(
        probe.number(),
        probe.t1Us(),
        probe.offsetUs(),
        probe.roundTripUs(),
        path.id,
        used,
        spare,
        namesLinks && by == Carrier.UDP ? path.untoldLink() : null,
        shares ? path.measurement(nowNs) : null);
  }

  /// Takes the source of an authentic datagram.
  ///
  /// @param bytes of the datagram with its outer headers
  /// @return ACCEPTED or CANDIDATES_FULL
  Verdict heard(@Nullable InetSocketAddress from, boolean newest, int bytes, long nowNs) {
    if (agent || from == null) {
      return Verdict.ACCEPTED;
    }
    uncredited = bytes;
    return heard(from, paths.areMany() ? Bindings.UNNAMED : 0, newest, nowNs);
  }

  /// Lets a new address have copies of what leaves for its path.
  private void copy(Candidate candidate) {
    SessionPath its = pathOf(candidate);
    for (SessionPath each : paths.open()) {
      if (each == its) {
        each.candidate = candidate;
      } else if (each.candidate == candidate) {
        each.candidate = null; // it was taken for this path before it named another one
      }
    }
  }

  /// Returns the bound path that a new address is of: the named one, or the only one in use.
  private @Nullable SessionPath pathOf(Candidate candidate) {
    int named = bindings.pathOf(candidate);
    SessionPath found = null;
    for (SessionPath each : paths.open()) {
      boolean isMeant = named == Bindings.UNNAMED ? each.use != PathUse.NO : each.id == named;
      if (isMeant && bindings.address(each.id) != null) {
        if (found != null) {
          return null;
        }
        found = each;
      }
    }
    return found;
  }

  private Verdict heard(InetSocketAddress from, int path, boolean newest, long nowNs) {
    Verdict verdict = bound(from, path, newest, nowNs);
    Candidate candidate = bindings.candidate(from);
    if (candidate != null) {
      uncredited = 0;
      unproven.payOwed(candidate);
      if (copies) {
        copy(candidate);
      }
    }
    return verdict;
  }

  private Verdict bound(InetSocketAddress from, int path, boolean newest, long nowNs) {
    int challengeBytes = UnprovenAddresses.outerBytes(PathMessage.Challenge.BYTES, from);
    switch (bindings.heard(from, path, newest, uncredited, challengeBytes, nowNs)) {
      case FIRST -> {
        paths.open(path).sizes.header(OuterHeader.of(from), nowNs);
        listener.bindingMoved(null, from);
        moves.follow(this::carries, nowNs);
      }
      case BOUND -> {
        SessionPath bound = pathOf(from);
        answers(bound, nowNs);
        if (bound != null) {
          bound.candidate = null;
          settles(bound, nowNs);
        }
      }
      case CHALLENGE -> {
        // Counted as sent by the path that was named, because it arrives there.
        SessionPath by = path == Bindings.UNNAMED ? paths.first() : paths.open(path);
        by.messages.add(new PathMessage.Challenge(bindings.nonce()), Carrier.UDP, from);
        listener.challenged(from);
      }
      case FULL -> {
        return Verdict.CANDIDATES_FULL;
      }
      case ELSEWHERE -> {}
    }
    return Verdict.ACCEPTED;
  }

  /// Handles the body of an authentic PATH datagram.
  ///
  /// @param by the path that it came by, null if its address is new
  Verdict message(
      byte[] body,
      int length,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      long sequence,
      long nowNs) {
    if (probe.wrap(body, 0, length)) {
      return probed(probe, by, from, sequence, nowNs);
    }
    PathMessage message = PathMessage.read(body, 0, length);
    return switch (message) {
      case null -> Verdict.MALFORMED;
      case PathMessage.Probe _ -> Verdict.MALFORMED; // a probe never comes here
      case PathMessage.ProbeReply reply -> replied(reply, by, from, nowNs);
      case PathMessage.Challenge challenge -> challenged(challenge, by, from);
      case PathMessage.Response response -> responded(response, by, from, nowNs);
      case PathMessage.MtuProbe probe -> arrived(probe, length, by, from, nowNs);
      case PathMessage.MtuAck ack -> acknowledged(ack, by, from, nowNs);
      case PathMessage.CarryBy asked -> asked(asked, from, sequence);
      case PathMessage.Receipt receipt -> received(receipt, by, from, nowNs);
    };
  }

  /// Sends the receipts and the trials that are due. A control connection needs none: TCP paces it.
  void acknowledge(long nowNs) {
    for (SessionPath each : paths.open()) {
      PathMessage.Receipt receipt = carrier.isUdp() ? each.pacing.dueReceipt(nowNs) : null;
      if (receipt != null) {
        each.messages.add(
            paths.areMany() ? receipt.counting() : receipt, Carrier.UDP, boundTo(each));
      }
      if (tries && carrier.isUdp() && each.pacing.isInUse(nowNs) && paths.isUsable(each)) {
        trialsOf(each).run(each, boundTo(each), nowNs);
      }
    }
  }

  private PathTrials trialsOf(SessionPath path) {
    PathTrials trials = path.trials == null ? new PathTrials(agent, random) : path.trials;
    path.trials = trials;
    return trials;
  }

  private Verdict received(
      PathMessage.Receipt receipt,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      long nowNs) {
    if (carrier.isUdp() && from != null && by != null) {
      int leftUs = receipt.timeUs() - receipt.delayUs();
      boolean isOverrun = by.pacing.pacer().isOverrun(nowNs);
      by.loss.receipt(leftUs, receipt.bytes(), !isOverrun, nowNs);
      by.recent.confirmed(timeNs(leftUs, nowNs));
      by.pacing.receipt(receipt, by.roundTripUs(), nowNs);
      by.mtu.arrived(receipt.largest());
      by.counted(receipt.sentBytes(), nowNs);
    }
    return Verdict.ACCEPTED;
  }

  /// Returns the time that the low 32 bits of a recent one stand for, in µs.
  private static long timeNs(int us, long nowNs) {
    int agoUs = (int) (nowNs / 1000) - us;
    return nowNs - agoUs * 1000L;
  }

  private static Carrier carrierOf(@Nullable InetSocketAddress from) {
    return from == null ? Carrier.CONTROL : Carrier.UDP;
  }

  /// Sends an answer by the way that its question came.
  private void answer(
      PathMessage message, @Nullable SessionPath by, @Nullable InetSocketAddress from) {
    SessionPath path = by == null ? paths.first() : by;
    path.messages.add(message, carrierOf(from), agent ? null : from);
  }

  private Verdict challenged(
      PathMessage.Challenge challenge, @Nullable SessionPath by, @Nullable InetSocketAddress from) {
    if (from == null || by == null || !unproven.isProved(from)) {
      return Verdict.PATH_UNEXPECTED;
    }
    int path = paths.areMany() ? by.id : PathMessage.NO_PATH;
    answer(new PathMessage.Response(challenge.nonce(), path), by, from);
    listener.answered(from);
    return Verdict.ACCEPTED;
  }

  private Verdict asked(
      PathMessage.CarryBy asked, @Nullable InetSocketAddress from, long sequence) {
    Carrier by = carrierOf(from);
    if (agent || asked.control() != (by == Carrier.CONTROL) || !carrier.isNewest(sequence)) {
      return Verdict.PATH_UNEXPECTED;
    }
    carrier(by);
    return Verdict.ACCEPTED;
  }

  private Verdict probed(
      ProbeBody probe,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      long sequence,
      long nowNs) {
    if (paths.areMany() != (probe.path() != PathMessage.NO_PATH)
        || shares != probe.isSharing()
        || probe.namesLink() && !namesLinks) {
      return Verdict.MALFORMED;
    }
    int id = paths.areMany() ? probe.path() : 0;
    if (!paths.isAllowed(id) || probe.used() >>> paths.most() != 0) {
      return Verdict.PATH_UNKNOWN;
    }
    boolean newest = isNewest(probe, id);
    Verdict verdict = named(probe, id, from, nowNs);
    SessionPath named = by == null ? paths.find(id) : by;
    SessionPath answering = named == null ? paths.first() : named;
    if (unproven.isProved(from)) {
      answering.messages.addReply(
          probe.number(),
          probe.t1Us(),
          nowNs / 1000,
          paths.areMany(),
          carrierOf(from),
          agent ? null : from);
    } else if (!unproven.answer(probe, answering, from, nowNs)) {
      verdict = verdict == Verdict.ACCEPTED ? Verdict.PATH_UNEXPECTED : verdict;
    }
    SessionPath path = paths.find(id);
    if (path != null && probe.offsetUs() != PathMessage.OFFSET_UNKNOWN) {
      path.sharedRoundTripUs = Integer.toUnsignedLong(probe.roundTripUs());
      path.sharedOffsetUs = -probe.offsetUs();
      peerClock.offset(id, -probe.offsetUs(), path.sharedRoundTripUs, nowNs);
      PathMeasurement measured = newest ? probe.shared() : null;
      if (measured != null) {
        path.shared(measured, nowNs);
      }
    }
    if (path != null && newest && from != null && probe.namesLink()) {
      linkTold(path, probe.link(path.link), sequence, nowNs);
    }
    if (newest && from != null) {
      listener.probeArrived(id);
    }
    if (paths.areMany() && sequence > useSequence) {
      useSequence = sequence;
      follow(probe, nowNs);
    }
    return verdict;
  }

  private void linkTold(SessionPath path, String link, long sequence, long nowNs) {
    if (!link.equals(path.link)) {
      if (!path.link.isEmpty()) {
        unbind(path, sequence, nowNs);
      }
      path.link = link;
      beginAsExpected(path, nowNs);
    }
  }

  /// Takes the flows off a path that a rule binds to it, because the path leads over another link
  /// now: the rule has named the former one. The device tells them their next route.
  private void unbind(SessionPath path, long sequence, long nowNs) {
    flows.forEach(flow -> {
      int route = flow.route();
      if (FlowRoute.isPath(route)
          && FlowRoute.isBinding(route)
          && FlowRoute.path(route) == path.id) {
        flow.followRoute(FlowRoute.NONE, sequence);
      }
    });
    moves.dropForbidden(path, nowNs);
  }

  private void beginAsExpected(SessionPath path, long nowNs) {
    if (nowNs - expectedNs > EXPECTED_NS) {
      expected = List.of();
    }
    for (LinkRate each : expected) {
      if (each.link().equals(path.link)) {
        path.pacing.begin(each.rate(), nowNs);
      }
    }
  }

  /// Takes what a session before this one has found of the links of the device.
  void expectRates(List<LinkRate> rates, long nowNs) {
    expected = List.copyOf(rates);
    expectedNs = nowNs;
  }

  private boolean isNewest(ProbeBody probe, int id) {
    SessionPath known = paths.find(id);
    return known == null || Integer.toUnsignedLong(probe.number()) > known.probeNumber;
  }

  /// Takes the path that a probe names: its address is bound to that path, or challenged. A probe
  /// that is not the newest of its path says nothing: an attacker may have delayed it.
  private Verdict named(ProbeBody probe, int id, @Nullable InetSocketAddress from, long nowNs) {
    if (agent || from == null || !paths.areMany()) {
      return Verdict.ACCEPTED;
    }
    SessionPath path = paths.open(id);
    long number = Integer.toUnsignedLong(probe.number());
    boolean newest = number > path.probeNumber;
    path.probeNumber = Math.max(path.probeNumber, number);
    Verdict verdict = heard(from, id, newest, nowNs);
    if (newest && verdict == Verdict.ACCEPTED && !from.equals(bindings.address(id))) {
      moves(path, nowNs);
    }
    return verdict;
  }

  /// Follows the agent's decision about the use of the paths.
  private void follow(ProbeBody probe, long nowNs) {
    for (SessionPath each : paths.open()) {
      int bit = 1 << each.id;
      paths.use(
          each,
          (probe.used() & bit) == 0
              ? PathUse.NO
              : (probe.spare() & bit) == 0 ? PathUse.YES : PathUse.SPARE);
    }
    moves.follow(this::carries, nowNs);
  }

  private Verdict arrived(
      PathMessage.MtuProbe probe,
      int length,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      long nowNs) {
    if (from == null) {
      return Verdict.PATH_UNEXPECTED;
    }
    if (!unproven.isProved(from) && !unproven.pays(PathMessage.MtuAck.BYTES, from)) {
      return Verdict.PATH_UNEXPECTED;
    }
    answer(new PathMessage.MtuAck(probe.run(), probe.size()), by, from);
    if (TrainRun.isTrain(probe.run())) {
      if (by != null) {
        by.pacing.train(probe.run(), length + Sealer.OVERHEAD + by.budget.headerBytes(), nowNs);
      }
      return Verdict.ACCEPTED;
    }
    boolean halving = probe.size() != PathMtuSearch.BASE && probe.size() != PathMtuSearch.LEAST;
    if (by != null && halving && probe.size() < by.mtu.size()) {
      by.mtu.suspect(nowNs);
    }
    return Verdict.ACCEPTED;
  }

  private Verdict acknowledged(
      PathMessage.MtuAck ack,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      long nowNs) {
    if (from != null && by != null && by.trials != null && TrainRun.isTrain(ack.run())) {
      by.trials.acknowledged(ack.run(), by, nowNs);
      return Verdict.ACCEPTED;
    }
    if (agent && by != null && ack.size() == PAID_BYTES && ack.run() == by.payingRun) {
      return Verdict.ACCEPTED;
    }
    if (from == null || by == null || by.unknown || ack.run() != by.mtuRun) {
      return Verdict.PATH_UNEXPECTED;
    }
    by.mtu.acknowledged(ack.size(), nowNs);
    return Verdict.ACCEPTED;
  }

  private Verdict replied(
      PathMessage.ProbeReply reply,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      long nowNs) {
    // An answer in the control connection may be that of any path.
    SessionPath path = from == null ? probedBy(reply, nowNs) : answered(by, reply, nowNs);
    if (path == null) {
      return Verdict.PATH_UNEXPECTED;
    }
    long offsetUs = Math.round(path.probes.offsetUs());
    peerClock.offset(path.id, offsetUs, path.probes.offsetRoundTripUs(), nowNs);
    if (from != null) {
      path.answeredProbe(reply.number());
      answers(path, nowNs);
      if (carrier.isUdp()) {
        path.counted(reply.sentBytes(), nowNs);
      }
    }
    listener.probed(
        path.id, path.probes.lastRoundTripUs(), path.probes.smoothedRoundTripUs(), offsetUs);
    return Verdict.ACCEPTED;
  }

  private static @Nullable SessionPath answered(
      @Nullable SessionPath path, PathMessage.ProbeReply reply, long nowNs) {
    return path != null && path.probes.answered(reply, nowNs / 1000) ? path : null;
  }

  private @Nullable SessionPath probedBy(PathMessage.ProbeReply reply, long nowNs) {
    for (SessionPath each : paths.open()) {
      if (answered(each, reply, nowNs) != null) {
        return each;
      }
    }
    return null;
  }

  private Verdict responded(
      PathMessage.Response response,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      long nowNs) {
    if (paths.areMany() != (response.path() != PathMessage.NO_PATH)) {
      return Verdict.MALFORMED;
    }
    if (from != null
        && by != null
        && by.trials != null
        && from.equals(bindings.address(by.id)) // an only path has datagrams of other addresses
        && by.trials.answered(response.nonce(), by, nowNs)) {
      return Verdict.ACCEPTED;
    }
    int id = paths.areMany() ? response.path() : 0;
    if (!paths.isAllowed(id)) {
      return Verdict.PATH_UNKNOWN;
    }
    InetSocketAddress before = bindings.address(id);
    Candidate proved = from == null ? null : bindings.candidate(from);
    if (agent || from == null || !bindings.answered(from, response.nonce(), id, nowNs)) {
      return Verdict.PATH_UNEXPECTED;
    }
    SessionPath path = paths.open(id);
    path.sizes.header(OuterHeader.of(from), nowNs);
    path.recent.moveTo(path.repeats, nowNs);
    path.changed();
    if (before == null) {
      beginAsExpected(path, nowNs); // its link was told before its address was proved
    }
    path.movingUntilNs = Long.MAX_VALUE;
    path.candidate = null;
    if (proved != null) {
      unproven.proved(proved, path);
    }
    listener.bindingMoved(before, from);
    moves.follow(this::carries, nowNs);
    return Verdict.ACCEPTED;
  }
}
