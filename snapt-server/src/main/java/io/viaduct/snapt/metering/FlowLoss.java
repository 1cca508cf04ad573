package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.PeerFlowStats;

/// Counts the packets and bytes that one end of a flow sent and the other did not receive. The
/// counts are cumulative.
///
/// The two ends never count at the same instant. A packet in flight, or in the other end's queue,
/// is not lost. So a count of the sender is compared with a receiver's count that is at least
/// [#SETTLED_NS] younger. Loss therefore shows late. No false loss shows while the round trip is
/// shorter than that time. The count is exact when the flow is idle.
///
/// The packet counts never decrease. Bytes that arrive late are no longer lost, and are charged.
final class FlowLoss {
  static final long SETTLED_NS = 1_000_000_000L;

  // The device sends FLOW_STATS of a slow flow after at most six seconds (docs/protocol.md 3.3).
  private static final long TOLD_NS = 7_000_000_000L;

  // Two snapshots per second: the oldest of four is two seconds old.
  private static final int MOMENTS = 4;
  private static final long MOMENT_NS = 450_000_000L;

  private final long[] atNs = new long[MOMENTS];
  private final long[] sentHere = new long[MOMENTS];
  private final long[] sentBytesHere = new long[MOMENTS];
  private final PeerFlowStats[] heard = new PeerFlowStats[MOMENTS];
  private int moments;
  private long up;
  private long down;
  private long downBytes;

  /// Compares the counts. Called at least twice a second, and when the flow ends.
  void tick(FlowState flow, long nowNs) {
    PeerFlowStats peer = flow.peer();
    long received = flow.received().packets();
    if (peer != PeerFlowStats.NONE) {
      int newest = newestBefore(peer.heardNs() - SETTLED_NS);
      if (isOver(flow, peer, nowNs)) {
        down(flow.sent().packets(), flow.sent().preBytes(), peer);
      } else if (newest >= 0) {
        down(sentHere[newest], sentBytesHere[newest], peer);
      }
      if (peer.heardNs() - flow.lastNs() >= SETTLED_NS) {
        up = Math.max(up, peer.sentPackets() - received);
      }
    }
    for (int i = 0; i < Math.min(moments, MOMENTS); i++) {
      PeerFlowStats then = heard[i];
      if (then != PeerFlowStats.NONE && nowNs - then.heardNs() >= SETTLED_NS) {
        up = Math.max(up, then.sentPackets() - received);
      }
    }
    note(flow, nowNs);
  }

  /// Returns true if the device's counts cover all packets that were sent. That holds if nothing
  /// was sent for some time before its last FLOW_STATS. It also holds if the flow has been idle for
  /// so long that a newer FLOW_STATS would have come.
  private static boolean isOver(FlowState flow, PeerFlowStats peer, long nowNs) {
    return peer.heardNs() - flow.lastNs() >= SETTLED_NS
        || nowNs - Math.max(peer.heardNs(), flow.lastNs()) >= TOLD_NS;
  }

  private void down(long sentPackets, long sentBytes, PeerFlowStats peer) {
    down = Math.max(down, sentPackets - peer.receivedPackets());
    downBytes = Math.max(0, sentBytes - peer.receivedBytes());
  }

  // A loop with few sessions calls this more often than a new snapshot is due.
  private void note(FlowState flow, long nowNs) {
    if (moments > 0 && nowNs - atNs[(moments - 1) % MOMENTS] < MOMENT_NS) {
      return;
    }
    int moment = moments++ % MOMENTS;
    atNs[moment] = nowNs;
    sentHere[moment] = flow.sent().packets();
    sentBytesHere[moment] = flow.sent().preBytes();
    heard[moment] = flow.peer();
  }

  /// Returns the index of the newest snapshot that is not after this time, or −1 if there is none.
  private int newestBefore(long ns) {
    int newest = -1;
    for (int i = 0; i < Math.min(moments, MOMENTS); i++) {
      if (ns - atNs[i] >= 0 && (newest < 0 || atNs[i] > atNs[newest])) {
        newest = i;
      }
    }
    return newest;
  }

  /// Returns the packets lost on the way from the device.
  long up() {
    return up;
  }

  /// Returns the packets lost on the way to the device.
  long down() {
    return down;
  }

  /// Returns the inner bytes lost on the way to the device, as the device reports them.
  long downBytes() {
    return downBytes;
  }
}
