package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.PeerFlowStats;

/// Packets of a flow that one end sent and the other did not receive, cumulative.
///
/// The ends' counts are never of the same instant: what is on its way, or waits in the other end's
/// queue, is not lost. So a count of the sender is held against a count of the receiver that is at
/// least two ticks younger. Loss shows that much later, and none is invented while the round trip
/// is shorter than that.
final class FlowLoss {
  private static final int TICKS = 3;

  private final long[] sentHere = new long[TICKS];
  private final long[] sentThere = new long[TICKS];
  private PeerFlowStats last = PeerFlowStats.NONE;
  private int tick;
  private long up;
  private long down;

  /// Once in a while, always at the same distance.
  void tick(FlowState flow) {
    PeerFlowStats peer = flow.peer();
    int oldest = tick % TICKS;
    up = Math.max(up, sentThere[oldest] - flow.received().packets());
    // An old word of the peer says nothing of what was sent since.
    if (peer != last) {
      down = Math.max(down, sentHere[oldest] - peer.receivedPackets());
      last = peer;
    }
    sentHere[oldest] = flow.sent().packets();
    sentThere[oldest] = peer.sentPackets();
    tick++;
  }

  /// Lost on the way from the device.
  long up() {
    return up;
  }

  /// Lost on the way to the device.
  long down() {
    return down;
  }
}
