package io.viaduct.tunnel.flow;

/// What the other end has said of a flow (FLOW_STATS), cumulative since it opened there.
///
/// @param sentPackets what it sent: loss in its direction is this minus what was received here
/// @param waitUs sum of the waits in its aggregator
/// @param receivedPackets what it received: loss towards it is what was sent here minus this
/// @param delaySumUs sum over `delaySamples` one-way delays
/// @param heardNs when it was heard here: its counts are older, by half a round trip or so
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
  /// Before the first word of the peer.
  public static final PeerFlowStats NONE =
      new PeerFlowStats(0, 0, 0, 0, 0, 0, 0, 0, Long.MIN_VALUE);
}
