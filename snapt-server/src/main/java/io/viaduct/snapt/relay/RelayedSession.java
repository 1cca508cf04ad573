package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;
import io.viaduct.host.tun.VirtioNetHeader;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.snapt.metering.SessionMeter;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.snapt.policy.AccountRates;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.InnerPacketSink;
import io.viaduct.tunnel.session.TunnelRole;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.session.TunnelSettings;
import io.viaduct.tunnel.session.TunnelTerms;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.usage.v1.UsageReport;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// A session on its event loop: tunnel, translation and meter of one device. Everything here is
/// called on that loop.
final class RelayedSession implements InnerPacketSink, FlowListener, PathListener {
  private final RelayLoop loop;
  private final Relay relay;
  private final Session session;
  private final TunnelSession tunnel;
  private final AddressTranslation translation;
  private final SessionMeter meter;
  private final EgressPolicy policy;
  private final AccountRates.@Nullable Pair rates;
  private final TrafficCounters.Seen seen = new TrafficCounters.Seen();
  private long moves;

  // Of the loop: place in its DeadlineQueue, membership of its batch, of those waiting for UDP, and
  // of those whose usage has changed.
  long deadlineNs;
  int place = -1;
  boolean touched;
  boolean waiting;
  boolean changed;

  RelayedSession(
      RelayLoop loop, Session session, AddressTranslation translation, TunnelSettings settings) {
    this.loop = loop;
    this.relay = loop.relay();
    this.session = session;
    this.translation = translation;
    TunnelTerms terms = session.terms().tunnel();
    long nowNs = relay.nowNs();
    tunnel = new TunnelSession(TunnelRole.SNAPT, terms, settings, loop.memory(), this, this, nowNs);
    terms.secret().wipe();
    meter = relay.meter(session, tunnel.totals(), nowNs);
    policy = relay.policy();
    rates = relay.rates().begin(session.token().getAccount(), nowNs);
  }

  Session session() {
    return session;
  }

  TunnelSession tunnel() {
    return tunnel;
  }

  /// How often the binding has moved.
  long moves() {
    return moves;
  }

  /// 2 a datagram from the network; only an authentic one counts as a sign of life.
  ///
  /// @param from null: by the control connection
  void onDatagram(
      ByteBuf datagram, int offset, int length, @Nullable InetSocketAddress from, long nowNs) {
    Verdict verdict = tunnel.open(datagram, offset, length, from, this, nowNs);
    if (verdict == Verdict.ACCEPTED) {
      session.heard(relay.nowMs());
    }
  }

  /// 2 a packet that the tunnel has restored, on its way to the Internet.
  @Override
  public void packet(
      @Nullable FlowState flow,
      ByteBuf packet,
      int ipOffset,
      int length,
      int gsoSize,
      boolean checksumPartial) {
    Translated outcome = translation.outbound(packet, ipOffset, length, checksumPartial);
    Segments segments = Segments.of(packet, ipOffset, length, gsoSize);
    loop.counters().count(TrafficCounters.Direction.UP, outcome, segments.packets(), length);
    if (outcome != Translated.FORWARDED
        || !mayLeave(packet, ipOffset, segments)
        || !loop.toTun(packet, ipOffset, length, gsoSize, checksumPartial, translation)) {
      meter.refusedUp(flow, segments.packets(), segments.bytes());
    }
  }

  private boolean mayLeave(ByteBuf packet, int ip, Segments segments) {
    EgressRefusal refusal = policy.judge(packet, ip, translation);
    if (refusal == null && rates != null && !rates.up().take(segments.bytes(), relay.nowNs())) {
      refusal = EgressRefusal.ACCOUNT_RATE;
    }
    if (refusal != null) {
      loop.counters().count(refusal, segments.packets());
    }
    return refusal == null;
  }

  /// 2 a packet from the Internet to one of the session's addresses.
  void onPacket(ByteBuf packet, int headerOffset, int length, VirtioNetHeader header, long nowNs) {
    int ip = headerOffset + VirtioNetHeader.LENGTH;
    boolean partial = header.needsChecksum();
    int gsoSize = header.gsoType() == VirtioNetHeader.GSO_NONE ? 0 : header.gsoSize();
    Translated outcome = translation.inbound(packet, ip, length, partial);
    Segments segments = Segments.of(packet, ip, length, gsoSize);
    loop.counters().count(TrafficCounters.Direction.DOWN, outcome, segments.packets(), length);
    if (outcome != Translated.FORWARDED) {
      return;
    }
    if (rates != null && !rates.down().take(segments.bytes(), nowNs)) {
      loop.counters().count(EgressRefusal.ACCOUNT_RATE, segments.packets());
      return;
    }
    FlowState flow = tunnel.flows().lookup(packet, ip, length);
    if (flow != null && flow.attachment() == null) {
      meter.onOpened(flow); // by this packet: nobody else tells of a flow that this end opens
    }
    if (tunnel.offer(packet, ip, length, gsoSize, partial, flow, nowNs) == Verdict.PACKET_TOO_BIG) {
      tunnel.answerTooBig(packet, ip, length, this::back, nowNs);
    }
  }

  /// 2 an answer of the tunnel itself, as from the device: nobody pays for it.
  private void back(
      @Nullable FlowState flow, ByteBuf packet, int ip, int length, int gsoSize, boolean partial) {
    if (translation.outbound(packet, ip, length, partial) == Translated.FORWARDED) {
      loop.toTun(packet, ip, length, gsoSize, partial, translation);
    }
  }

  @Override
  public void opened(FlowState flow) {
    meter.onOpened(flow);
  }

  @Override
  public void ended(FlowState flow, FlowEnd reason) {
    meter.onEnded(flow, relay.nowNs());
  }

  @Override
  public void bindingMoved(@Nullable InetSocketAddress from, InetSocketAddress to) {
    if (from != null) {
      moves++;
    }
  }

  @Override
  public void carriedBy(Carrier carrier) {
    loop.counters().count(carrier);
  }

  /// When [#onTick] wants to be called: the tunnel's deadline or the end of the interval.
  long nextDeadlineNs() {
    long intervalEndNs = meter.startNs() + relay.intervalNs();
    long tunnelNs = tunnel.nextDeadlineNs();
    return tunnelNs == Long.MAX_VALUE || intervalEndNs - tunnelNs < 0 ? intervalEndNs : tunnelNs;
  }

  /// A deadline has passed.
  void onTick(long nowNs) {
    tunnel.onTick(nowNs);
    if (nowNs - (meter.startNs() + relay.intervalNs()) >= 0) {
      relay.onInterval(meter.close(relay.nowMs(), nowNs, tunnel.roundTripUs(), false));
    }
  }

  /// Twice a second: adds to the loop's counters.
  void onVisit(long nowNs) {
    meter.onTick(nowNs);
    loop.counters().absorb(tunnel, seen);
  }

  /// What has changed in the open interval since the last call, null if nothing.
  @Nullable IntervalUsage changes(long nowNs) {
    return meter.changes(relay.nowMs(), nowNs, tunnel.roundTripUs());
  }

  /// The report of the open interval, for the status page.
  UsageReport soFar() {
    return meter.soFar(relay.nowMs(), relay.nowNs(), tunnel.roundTripUs());
  }

  /// Sends what is ready, wipes the keys, makes the last report.
  void end(DatagramSink sink) {
    long nowNs = relay.nowNs();
    boolean lost = tunnel.drain(sink, nowNs);
    if (lost) {
      loop.counters().count(Drop.ENDED);
    }
    tunnel.control(null);
    tunnel.close();
    relay.rates().end(session.token().getAccount());
    loop.counters().absorb(tunnel, seen);
    relay.onInterval(meter.close(relay.nowMs(), nowNs, tunnel.roundTripUs(), true));
  }
}
