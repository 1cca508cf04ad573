package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.PeerFlowStats;

/// Packets of a flow that one end sent and the other did not receive, cumulative.
///
/// The ends' counts are never of the same instant: what is on its way, or waits in the other end's
/// queue, is not lost. So a count of the sender is held against a count of the receiver that is
/// younger by the time in which everything has settled. Loss shows that much later, none is
/// invented while the round trip is shorter, and once a flow rests the count is exact.
final class FlowLoss {
  static final long SETTLED_NS = 1_000_000_000L;

  // With two ticks a second the oldest moment is two seconds old.
  private static final int MOMENTS = 4;

  private final long[] atNs = new long[MOMENTS];
  private final long[] sentHere = new long[MOMENTS];
  private final PeerFlowStats[] heard = new PeerFlowStats[MOMENTS];
  private int ticks;
  private long up;
  private long down;

  /// Twice a second, and when the flow ends.
  void tick(FlowState flow, long nowNs) {
    PeerFlowStats peer = flow.peer();
    long received = flow.received().packets();
    boolean word = peer != PeerFlowStats.NONE;
    if (word && peer.heardNs() - flow.lastNs() >= SETTLED_NS) {
      up = Math.max(up, peer.sentPackets() - received);
    }
    for (int i = 0; i < Math.min(ticks, MOMENTS); i++) {
      PeerFlowStats then = heard[i];
      if (then != PeerFlowStats.NONE && nowNs - then.heardNs() >= SETTLED_NS) {
        up = Math.max(up, then.sentPackets() - received);
      }
      if (word && peer.heardNs() - atNs[i] >= SETTLED_NS) {
        down = Math.max(down, sentHere[i] - peer.receivedPackets());
      }
    }
    int moment = ticks++ % MOMENTS;
    atNs[moment] = nowNs;
    sentHere[moment] = flow.sent().packets();
    heard[moment] = peer;
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
