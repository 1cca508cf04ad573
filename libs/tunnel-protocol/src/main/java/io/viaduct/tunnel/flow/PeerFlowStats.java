package io.viaduct.tunnel.flow;

/// Counters of a flow that the other end has reported (FLOW_STATS), cumulative since the flow
/// opened there.
///
/// @param sentPackets packets that the peer sent. Minus the packets received here, this is the loss
///   in the peer's direction.
/// @param waitUs sum of the waits in the peer's aggregator
/// @param receivedPackets packets that the peer received. The packets sent here minus this are the
///   loss towards the peer.
/// @param delaySumUs sum over `delaySamples` one-way delays
/// @param heardNs arrival time of the report. The counts are older by about half a round trip.
public record PeerFlowStats(
    long sentPackets,
    long sentBytes,
    long waitUs,
    long receivedPackets,
    long receivedBytes,
    long delaySamples,
    long delaySumUs,
    long jitterUs,
    long heardNs) {
  /// Value before the first report of the peer.
  public static final PeerFlowStats NONE =
      new PeerFlowStats(0, 0, 0, 0, 0, 0, 0, 0, Long.MIN_VALUE);
}
