package io.viaduct.snapt.metering;

import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ServiceClass;
import java.util.concurrent.TimeUnit;

/// Meters the packets of a session that belong to no flow, in the open interval. They are flow 0 of
/// the report, in the lowest class, with their own outer bytes. The device sends no FLOW_STATS for
/// them, so down is charged as sent. Owned by the session's event loop.
final class FlowlessMeter {
  private static final int FLOWLESS = 0;

  private final IntervalCounters up;
  private final IntervalCounters down;
  private final Refused refused = new Refused();
  // The SNAPT's own packets that were offered to the tunnel and are not yet deducted from `down`.
  private long ownPackets;
  private long ownBytes;
  private long reportedPackets;

  FlowlessMeter(SessionTotals totals) {
    up = new IntervalCounters(totals.receivedFlowless());
    down = new IntervalCounters(totals.sentFlowless());
  }

  void refuse(int packets, int bytes) {
    refused.add(packets, bytes);
  }

  void own(int packets, int bytes) {
    ownPackets += packets;
    ownBytes += bytes;
  }

  private long downPackets() {
    return Math.max(0, down.packets() - ownPackets);
  }

  private long downBytes() {
    return Math.max(0, down.preBytes() - ownBytes);
  }

  /// Returns true if nothing in the open interval is charged.
  boolean isRefusedWholly() {
    return (refused.packets() > 0 || ownPackets > 0)
        && up.packets() == refused.packets()
        && downPackets() == 0;
  }

  boolean hasCarried() {
    return up.hasCarried() || down.hasCarried();
  }

  /// Returns true if anything has changed since the last call.
  boolean hasChanged() {
    long packets = up.packets() + down.packets();
    boolean same = packets == reportedPackets;
    reportedPackets = packets;
    return !same;
  }

  long postBytes() {
    return up.postBytes() + down.postBytes();
  }

  FlowUsage usage(String application, long startNs, long nowNs) {
    return FlowUsage.newBuilder()
        .setFlow(FLOWLESS)
        .setServiceClass(ServiceClass.HT_HD)
        .setApplication(application)
        .setRemoteAddress("::")
        .setUp(
            DirectionUsage.newBuilder()
                .setPreBytes(up.preBytes() - refused.bytes())
                .setPostBytes(up.postBytes())
                .setPackets(up.packets() - refused.packets()))
        .setDown(
            DirectionUsage.newBuilder()
                .setPreBytes(downBytes())
                .setPostBytes(down.postBytes())
                .setPackets(downPackets()))
        .setDurationMs(durationMs(startNs, nowNs))
        .setDelaySource(DelaySource.MISSING)
        .build();
  }

  void survey(UsageReader reader, String application, long startNs, long nowNs) {
    if (hasCarried() && !isRefusedWholly()) {
      long upBytes = up.preBytes() - refused.bytes();
      reader.flowless(application, upBytes + downBytes(), durationMs(startNs, nowNs));
    }
  }

  private static long durationMs(long startNs, long nowNs) {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nowNs - startNs));
  }

  void roll() {
    ownPackets -= Math.min(ownPackets, down.packets());
    ownBytes -= Math.min(ownBytes, down.preBytes());
    up.roll();
    down.roll();
    refused.roll();
    reportedPackets = 0;
  }
}
