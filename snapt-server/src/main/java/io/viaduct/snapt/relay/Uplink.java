package io.viaduct.snapt.relay;

import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.metering.SessionMeter;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.Hairpin;
import io.viaduct.snapt.napt.Translated;
import io.viaduct.snapt.policy.AccountRates;
import io.viaduct.snapt.policy.EgressPolicy;
import io.viaduct.snapt.policy.EgressRefusal;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Takes the packets that one device's tunnel restores, and sends them to the Internet: address
/// translation, policy, the account's rate, TUN. Owned by the session's event loop.
final class Uplink implements InnerPacketSink {
  private final Relay relay;
  private final Session session;
  private final TrafficCounters counters;
  private final InternetWriter internet;
  private final AddressTranslation translation;
  private final Hairpin hairpin;
  private final EgressPolicy policy;
  private final AccountRates.@Nullable Pair rates;
  private final RefusalAnswers answers;
  private final SessionMeter meter;
  private final BooleanSupplier isRelayed;
  private long nowMs; // of the present datagram
  private boolean holdsFlowless;

  /// @param isRelayed tells whether a path of the session leads through the session of a neighbour
  Uplink(
      RelayLoop loop,
      Session session,
      AddressTranslation translation,
      AccountRates.@Nullable Pair rates,
      RefusalAnswers answers,
      SessionMeter meter,
      BooleanSupplier isRelayed) {
    this.relay = loop.relay();
    this.session = session;
    this.counters = loop.counters();
    this.internet = loop.internet();
    this.translation = translation;
    this.hairpin = loop.hairpin();
    this.policy = relay.policy();
    this.rates = rates;
    this.answers = answers;
    this.meter = meter;
    this.isRelayed = isRelayed;
  }

  /// Sets the Unix time of the next packets, in ms.
  void at(long nextMs) {
    nowMs = nextMs;
  }

  /// Refuses packets of no flow, or lets them pass again.
  void holdFlowless(boolean refused) {
    holdsFlowless = refused;
  }

  private boolean mayCarry() {
    if (session.mayCarry(nowMs)) {
      return true;
    }
    session.heard(nowMs); // an opened packet is authentic, and may begin the grace
    return session.mayCarry(nowMs);
  }

  @Override
  public void packet(@Nullable FlowState flow, IpPacket packet) {
    Segments segments = Segments.of(packet);
    if (!mayCarry()) {
      counters.count(Drop.TOKEN_EXPIRED, segments.packets());
      meter.refusedUp(flow, segments.packets(), segments.bytes());
      return;
    }
    if (flow == null ? holdsFlowless : flow.isHeld()) {
      counters.count(EgressRefusal.CREDIT, segments.packets());
      answers.refused(packet, false, relay.nowNs());
      meter.refusedUp(flow, segments.packets(), segments.bytes());
      return;
    }
    Translated outcome = translation.outbound(packet);
    counters.count(TrafficCounters.Direction.UP, outcome, segments.packets(), packet.length());
    if (outcome != Translated.FORWARDED) {
      if (outcome.isAnswered()) {
        answers.refused(packet, false, relay.nowNs());
      }
      meter.refusedUp(flow, segments.packets(), segments.bytes());
    } else if (!mayLeave(flow, packet, segments) || !internet.write(packet, translation)) {
      meter.refusedUp(flow, segments.packets(), segments.bytes());
    }
  }

  private boolean mayLeave(@Nullable FlowState flow, IpPacket packet, Segments segments) {
    EgressRefusal refusal = policy.judge(packet, translation);
    boolean isToDevice = refusal == EgressRefusal.OWN_ADDRESS && hairpin.isFor(packet);
    if (isToDevice) {
      refusal = policy.judgeShared(packet, translation);
    }
    if (refusal == null && !mayRelay(flow, packet)) {
      refusal = EgressRefusal.RELAYED;
    }
    if (refusal == null && rates != null && !rates.up().take(segments.bytes(), relay.nowNs())) {
      refusal = EgressRefusal.ACCOUNT_RATE;
    }
    if (refusal != null) {
      counters.count(refusal, segments.packets());
      if (refusal.isAnswered()) {
        answers.refused(packet, true, relay.nowNs());
      }
    } else if (isToDevice) {
      hairpin.depart(packet);
    }
    return refusal == null;
  }

  // Sessions that come through each other would carry one datagram in circles. A flow that is
  // charged to nobody leads to the end of a tunnel as long as it lasts.
  private boolean mayRelay(@Nullable FlowState flow, IpPacket packet) {
    if (!policy.tunnels().isDestination(packet, translation)) {
      return !SessionMeter.isRelaying(flow);
    }
    boolean may = !isRelayed.getAsBoolean();
    if (may && flow != null && policy.tunnels().has(flow)) {
      SessionMeter.relaying(flow); // it may have begun before its end was known
    }
    return may;
  }

  /// Sends an answer of the tunnel itself to an Internet host, as if the device had sent it. It is
  /// charged to no account.
  void answer(@Nullable FlowState flow, IpPacket packet) {
    if (translation.outbound(packet) == Translated.FORWARDED) {
      internet.write(packet, translation);
    }
  }
}
