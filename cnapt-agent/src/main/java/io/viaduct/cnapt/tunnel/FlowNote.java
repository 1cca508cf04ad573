package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.classification.Application;
import io.viaduct.cnapt.policy.FlowPlacement;
import io.viaduct.cnapt.snapts.SnaptDecision;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import org.jspecify.annotations.Nullable;

/// Holds the agent's data about a flow, apart from its counters. Owner: the data path's event loop.
final class FlowNote {
  Application application;
  @Nullable String process;
  long retransmissions;

  /// What this host's socket has sent last; nothing unless the flow is TCP.
  TcpSide tcp = new TcpSide();

  /// True if the remote host has answered the flow in a session before: it knows the flow by the
  /// public address.
  boolean wasAnswered;

  /// Line of the policy and the paths that the flow holds on to; null before the first look.
  @Nullable FlowPlacement placement;

  /// Ties that new flows to the same host, or of the same UDP port, follow; null with one SNAPT.
  Affinities.@Nullable Tie tieOfHost;

  Affinities.@Nullable Tie tieOfAnyClass;

  Affinities.@Nullable Tie tieOfPort;

  /// The reason for which the flow has its SNAPT: words, a [SnaptDecision], a [TiedFlow] or a
  /// [ContinuedFlow]; null with one SNAPT, and for a flow that the other end has opened.
  @Nullable Object placed;

  /// Name of the SNAPT of the flow's session; empty with a peer.
  String snapt = "";

  /// The flow beyond its session.
  FlowLife life = new FlowLife();

  long lookedNs;
  long toldNs;

  /// Times that the SNAPT must still be told the route of the flow, because it has changed.
  int tellings;

  private long lookedBytes;
  private long lookedPackets;
  private long lookedBitPerSecond;
  private boolean sequenceKnown;
  private int sequenceEnd;

  FlowNote(Application application) {
    this.application = application;
  }

  /// Goes on with the same flow of another session: it keeps its application.
  void goesOn(FlowNote other) {
    life = other.life;
    application = other.application;
    process = other.process;
  }

  /// Takes what is known of the same flow in the session before.
  ///
  /// @param answered whether the remote host has answered it there
  void follow(FlowNote before, boolean answered) {
    tcp = before.tcp;
    wasAnswered |= answered || before.wasAnswered;
    retransmissions = before.retransmissions;
    sequenceKnown = before.sequenceKnown;
    sequenceEnd = before.sequenceEnd;
  }

  /// Returns why the flow has its SNAPT, for a person; empty with one SNAPT.
  String whyPlaced() {
    Object why = placed;
    return why == null ? "" : words(why);
  }

  static String words(Object reason) {
    return reason instanceof SnaptDecision decision ? decision.why() : reason.toString();
  }

  /// Notes a look at the flow.
  ///
  /// @param sentBytes bytes that the flow has sent so far
  /// @param leastNs time over which a rate is measured at least: a look too soon has the rate of
  ///   the one before
  /// @return its rate since the last look, in bit/s; 0 at the first look
  long bitPerSecond(long sentBytes, long leastNs, long nowNs) {
    long sinceNs = nowNs - lookedNs;
    if (lookedNs != 0 && sinceNs < leastNs) {
      return lookedBitPerSecond;
    }
    lookedBitPerSecond = lookedNs == 0 ? 0 : (long) ((sentBytes - lookedBytes) * 8e9 / sinceNs);
    lookedNs = nowNs;
    lookedBytes = sentBytes;
    return lookedBitPerSecond;
  }

  /// Notes the packets of both directions at a look.
  void looked(FlowState flow) {
    lookedPackets = flow.sent().packets() + flow.received().packets();
  }

  /// Returns whether the flow has carried packets since the last look, in any direction.
  boolean hasCarried(FlowState flow) {
    return flow.sent().packets() + flow.received().packets() != lookedPackets;
  }

  /// Records a TCP packet from the device, and checks it for a retransmission: a packet with bytes
  /// that were sent before (RFC 9293 section 3.8.1).
  void sees(IpPacket packet) {
    int transport = packet.transport();
    int length = packet.end() - transport;
    if (length < IpFields.TCP_HEADER) {
      return;
    }
    int payload = length - packet.transportHeaderBytes();
    if (payload >= 0) {
      tcp.sent(packet, payload);
    }
    if (payload <= 0) {
      return;
    }
    int sequence = packet.buffer().getInt(transport + IpFields.TCP_SEQUENCE);
    int end = sequence + payload;
    if (sequenceKnown && sequence - sequenceEnd < 0) {
      retransmissions++;
    }
    if (!sequenceKnown || end - sequenceEnd > 0) {
      sequenceEnd = end;
      sequenceKnown = true;
    }
  }
}
