package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.viaduct.host.udp.AddressPair;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.snapt.credit.CreditLine;
import io.viaduct.snapt.credit.SessionCredit;
import io.viaduct.snapt.metering.DirectionOffer;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.metering.MeasuredPath;
import io.viaduct.snapt.metering.SessionMeter;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.Hairpin;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.snapt.policy.AccountRates;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.tunnel.control.v1.CreditNotice;
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.pacing.LinkRate;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Relays the packets of one session: holds the tunnel, the address translation and the meter of
/// one device. All methods are called on the session's event loop.
final class RelayedSession implements FlowListener, PathListener, SessionCredit.Host {
  private static final long POSTPONED_NS = 1_000_000_000;

  private final TrafficCounters counters;
  private final Relay relay;
  private final Session session;
  private final TunnelSession tunnel;
  private final AddressTranslation translation;
  private final Hairpin hairpin;
  private final SessionMeter meter;
  private final AccountRates.@Nullable Pair rates;
  private final RefusalAnswers answers;
  private final Uplink uplink;
  private final SessionCredit credit;
  private final RelayedTraffic relayed;
  private final RateNotices rateNotices = new RateNotices();
  private final TrafficCounters.Seen seen = new TrafficCounters.Seen();
  private long moves;
  private long postponedNs; // earliest end of the open interval
  private boolean isBound; // and the listener knows
  private boolean isRelayed; // a path leads through the session of a neighbour
  private boolean ended;

  // State that the loop keeps here: the index in its DeadlineQueue, and whether the session is in
  // its batch, waits for the UDP socket, or has changed usage.
  long deadlineNs;
  int place = -1;
  boolean touched;
  boolean waiting;
  boolean changed;

  RelayedSession(
      RelayLoop loop, Session session, AddressTranslation translation, TunnelSettings settings) {
    this.counters = loop.counters();
    this.relay = loop.relay();
    this.session = session;
    this.translation = translation;
    this.hairpin = loop.hairpin();
    TunnelTerms terms = session.terms().tunnel();
    long nowNs = relay.nowNs();
    tunnel = new TunnelSession(TunnelRole.SNAPT, terms, settings, loop.memory(), this, this, nowNs);
    InetAddress from = session.terms().from();
    if (from != null) {
      tunnel.bindAtOnceOnly(from);
    }
    terms.secret().wipe();
    meter = relay.meter(session, tunnel.totals(), nowNs);
    answers = new RefusalAnswers(translation, loop.answerMemory());
    rates = relay.rates().begin(session.token().getAccount(), nowNs);
    postponedNs = nowNs;
    relayed =
        new RelayedTraffic(
            relay.neighbours(), session, tunnel.totals(), meter, counters, loop.sender());
    uplink = new Uplink(loop, session, translation, rates, answers, meter, this::isRelayed);
    String id = session.id().toString();
    credit = new SessionCredit(id, relay.credit(), onLoop(loop), meter, this, nowNs);
  }

  private CreditLine.Listener onLoop(RelayLoop loop) {
    return new CreditLine.Listener() {
      @Override
      public void answered(CreditAnswer answer) {
        onLoopIfCarried(() -> credit.onAnswer(answer, relay.nowNs()));
      }

      @Override
      public void lineChanged(boolean isOpen) {
        onLoopIfCarried(() -> credit.onLine(isOpen, relay.nowNs()));
      }

      private void onLoopIfCarried(Runnable work) {
        loop.execute(() -> {
          if (!ended) {
            work.run();
          }
        });
      }
    };
  }

  Session session() {
    return session;
  }

  TunnelSession tunnel() {
    return tunnel;
  }

  /// Returns what the device knows about the credit of its account.
  CreditNotice.State credit() {
    return credit.state();
  }

  /// Returns the number of changes of the binding.
  long moves() {
    return moves;
  }

  /// Step 2: opens a datagram from the network. Only an authentic datagram proves that the device
  /// is alive.
  ///
  /// @param from source address; null if the datagram came in the control connection
  void onDatagram(
      ByteBuf datagram, int offset, int length, @Nullable InetSocketAddress from, long nowNs) {
    long nowMs = relay.nowMs();
    uplink.at(nowMs);
    if (!relayed.arrives(from)) {
      counters.count(Drop.OWN_TUNNEL);
      return;
    }
    if (tunnel.open(datagram, offset, length, from, uplink, nowNs).isSignOfLife()) {
      session.heard(nowMs);
    }
    relayed.opened();
  }

  private boolean isRelayed() {
    return isRelayed;
  }

  private void findRelays() {
    isRelayed = tunnel.isBoundTo(relay.neighbours()::has);
  }

  /// Step 3: sends the datagrams that are ready.
  ///
  /// @return true if more is ready
  boolean drain(long nowNs) {
    return tunnel.drain(relayed, nowNs);
  }

  /// Sends the device an ICMP error for each of its packets that was refused since the last call.
  void tellRefusals(long nowNs) {
    answers.drain(answer -> tell(answer, nowNs), counters);
  }

  private boolean tell(IpPacket answer, long nowNs) {
    boolean queued = tunnel.offerFlowless(answer, nowNs) == Verdict.QUEUED;
    if (queued) {
      meter.ownDown(1, answer.length());
    }
    return queued;
  }

  /// Step 2: translates a packet from the Internet to one of the session's addresses, and offers it
  /// to the tunnel.
  void onPacket(IpPacket packet, long nowNs) {
    Segments segments = Segments.of(packet);
    long nowMs = relay.nowMs();
    if (!session.mayCarry(nowMs)) {
      counters.count(
          session.isAsleep(nowMs) ? Drop.ASLEEP : Drop.TOKEN_EXPIRED, segments.packets());
      return;
    }
    hairpin.arrive(packet);
    Translated outcome = translation.inbound(packet);
    counters.count(TrafficCounters.Direction.DOWN, outcome, segments.packets(), packet.length());
    if (outcome != Translated.FORWARDED) {
      return;
    }
    if (relay.policy().tunnels().isSource(packet, translation) && isRelayed()) {
      counters.count(Drop.RELAYED, segments.packets());
      return;
    }
    if (rates != null && !rates.down().take(segments.bytes(), nowNs)) {
      counters.count(EgressRefusal.ACCOUNT_RATE, segments.packets());
      return;
    }
    if (tunnel.offer(packet, nowNs) == Verdict.PACKET_TOO_BIG) {
      tunnel.answerTooBig(packet, uplink::answer, nowNs);
    }
  }

  @Override
  public void opened(FlowState flow) {
    boolean relaying = relay.policy().tunnels().has(flow);
    meter.onOpened(flow, relaying);
    if (!relaying) {
      credit.onOpened(flow);
    }
  }

  @Override
  public void ended(FlowState flow, FlowEnd reason) {
    meter.onEnded(flow, relay.nowNs());
  }

  @Override
  public void bindingMoved(@Nullable InetSocketAddress from, InetSocketAddress to) {
    if (from != null) {
      moves++;
      relay.onMoved(session);
    }
    findRelays();
    bound();
  }

  @Override
  public boolean leaveAlike(InetSocketAddress one, InetSocketAddress other) {
    return AddressPair.haveSameLocal(one, other);
  }

  @Override
  public void carriedBy(Carrier carrier) {
    counters.count(carrier);
    if (carrier == Carrier.CONTROL) {
      bound();
    }
  }

  private void bound() {
    if (!isBound && session.arrival() != null) {
      isBound = true;
      relay.onBound(session);
    }
  }

  /// Opens the flows that another SNAPT has handed over, so that packets from the Internet have
  /// their class before the first one of the device. Takes the rates of its links, so that their
  /// queues need not be filled again to find them.
  void restore(Arrival.Carried carried, long nowNs) {
    tunnel.expectRates(carried.rates(), nowNs);
    List<String> names = session.terms().applications();
    for (Arrival.Flow each : carried.flows()) {
      FlowState flow = tunnel.flows().restore(each.tuple(), nowNs);
      int application = names.indexOf(each.application());
      if (flow != null && application >= 0) {
        flow.classify(each.serviceClass(), application);
      }
    }
  }

  /// Returns what is known of the rates of the device's links.
  List<LinkRate> linkRates() {
    return tunnel.linkRates(relay.nowNs());
  }

  /// Returns the open flows, those of the newest packets first, without those that are ending.
  List<Arrival.Flow> openFlows(int most) {
    List<FlowState> open = new ArrayList<>();
    tunnel.flows().forEach(open::add);
    return open.stream()
        .filter(flow -> !flow.isEnding())
        .sorted(Comparator.comparingLong(FlowState::lastNs).reversed())
        .limit(most)
        .map(flow ->
            new Arrival.Flow(FlowTuple.of(flow), flow.serviceClass(), meter.applicationOf(flow)))
        .toList();
  }

  /// Returns the time of the next [#onTick]: the tunnel's deadline or the end of the interval, if
  /// that is earlier.
  long nextDeadlineNs() {
    long intervalEndNs = intervalEndNs();
    long tunnelNs = tunnel.nextDeadlineNs();
    return tunnelNs == Long.MAX_VALUE || intervalEndNs - tunnelNs < 0 ? intervalEndNs : tunnelNs;
  }

  /// Handles a passed deadline: runs the tunnel's timers, and closes the interval if it has ended.
  void onTick(long nowNs) {
    tunnel.onTick(nowNs);
    if (nowNs - intervalEndNs() >= 0) {
      intervalEnds(nowNs);
    }
  }

  // The bridge accepts an interval only if it overlaps the validity of its token. After the expiry
  // no interval begins before there is a newer token: the open one is cut at the expiry, and the
  // next waits for the device.
  private void intervalEnds(long nowNs) {
    long nowMs = relay.nowMs();
    if (nowMs < session.token().getExpiresMs()) {
      close(nowMs, nowNs, false);
    } else if (!session.isAsleep(nowMs)) {
      postponedNs = nowNs + POSTPONED_NS;
    } else if (meter.hasCarried()) {
      close(endMs(nowMs), nowNs, false);
    } else {
      meter.rest(nowNs);
    }
  }

  private void close(long endMs, long nowNs, boolean last) {
    long agoMs = Math.max(0, relay.nowMs() - endMs);
    long endNs = nowNs - TimeUnit.MILLISECONDS.toNanos(agoMs);
    IntervalUsage usage = meter.close(endMs, endNs, path(), last);
    credit.onReport(usage.report());
    relay.onInterval(usage);
    tunnel.startSpare(nowNs);
  }

  // Nothing was carried since the expiry if the device has been silent since.
  private long endMs(long nowMs) {
    return session.isAsleep(nowMs) ? session.token().getExpiresMs() : nowMs;
  }

  private long intervalEndNs() {
    long endNs = meter.startNs() + relay.intervalNs();
    return postponedNs - endNs > 0 ? postponedNs : endNs;
  }

  /// Updates the meter and the loop's counters; called twice a second.
  void onVisit(long nowNs) {
    findRelays(); // a path may have closed
    meter.onTick(nowNs);
    counters.absorb(tunnel, seen);
    credit.onVisit(nowNs);
    LineRate told = rateNotices.due(tunnel, nowNs);
    if (told != null) {
      relay.onLineRate(session, told);
    }
  }

  /// Notes that packets were carried; called after each batch.
  void onCarried(long nowNs) {
    credit.onCarried(nowNs);
  }

  /// Tells a device that has just connected about its credit and its line, if there is something to
  /// tell.
  void onConnected() {
    credit.tellAgain();
    rateNotices.connected();
  }

  @Override
  public long carriedBytes() {
    return tunnel.totals().preBytes();
  }

  @Override
  public ShownToken token() {
    return session.shown();
  }

  @Override
  public void holdFlowless(boolean refused) {
    tunnel.holdFlowless(refused);
    uplink.holdFlowless(refused);
  }

  @Override
  public void endInterval() {
    long nowMs = relay.nowMs();
    if (nowMs < session.token().getExpiresMs()) {
      close(nowMs, relay.nowNs(), false);
    }
  }

  @Override
  public void beginIntervalAnew() {
    long nowNs = relay.nowNs();
    if (meter.beginAnew(relay.nowMs(), nowNs)) {
      tunnel.startSpare(nowNs);
    }
  }

  @Override
  public void creditChanged(CreditNotice notice) {
    relay.onCredit(session, notice);
  }

  /// Returns the changes of the open interval since the last call, or null if there are none.
  @Nullable IntervalUsage changes(long nowNs) {
    return meter.changes(nowNs, path());
  }

  /// Returns the report of the open interval, for the status page.
  UsageReport soFar() {
    return meter.soFar(relay.nowNs(), path());
  }

  /// Sends the datagrams that are ready, wipes the keys, and makes the last report.
  void end() {
    long nowNs = relay.nowNs();
    boolean lost = drain(nowNs);
    if (lost) {
      counters.count(Drop.ENDED);
    }
    answers.clear();
    tunnel.control(null);
    tunnel.close();
    relay.rates().end(session.token().getAccount());
    counters.absorb(tunnel, seen);
    close(endMs(relay.nowMs()), nowNs, true);
    credit.end(nowNs);
    ended = true;
  }

  private MeasuredPath path() {
    long nowNs = relay.nowNs();
    return new MeasuredPath(
        tunnel.roundTripUs(),
        tunnel.ownRoundTripUs(),
        tunnel.delayErrorUs(),
        new DirectionOffer(tunnel.spareBytesToPeer(nowNs), flow -> tunnel.waitedNs(flow, nowNs)),
        tunnel.terms().limits().hasWaitingTimes()
            ? new DirectionOffer(
                tunnel.spareBytesFromPeer(nowNs),
                flow -> TimeUnit.MICROSECONDS.toNanos(flow.peerWaitedUs()),
                tunnel.fullFromPeerNs(),
                tunnel.arrivedInInterval())
            : null);
  }
}
