package io.viaduct.snapt.metering;

import io.viaduct.tunnel.session.SessionTotals;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ServiceClass;
import java.util.concurrent.TimeUnit;

/// What a session carried without flow in the open interval: flow 0 of its report, in the lowest
/// class, with its own outer bytes. Owned by the session's event loop.
final class FlowlessMeter {
  private static final int FLOWLESS = 0;

  private final IntervalCounters up;
  private final IntervalCounters down;
  private final Refused refused = new Refused();
  private long toldPackets;

  FlowlessMeter(SessionTotals totals) {
    up = new IntervalCounters(totals.receivedFlowless());
    down = new IntervalCounters(totals.sentFlowless());
  }

  void refuse(int packets, int bytes) {
    refused.add(packets, bytes);
  }

  boolean refusedWholly() {
    return refused.wholly(up, down);
  }

  boolean carried() {
    return up.carried() || down.carried();
  }

  /// Whether anything has changed since the last call.
  boolean changed() {
    long packets = up.packets() + down.packets();
    boolean same = packets == toldPackets;
    toldPackets = packets;
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
                .setPreBytes(down.preBytes())
                .setPostBytes(down.postBytes())
                .setPackets(down.packets()))
        .setDurationMs(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nowNs - startNs)))
        .setDelaySource(DelaySource.MISSING)
        .build();
  }

  void roll() {
    up.roll();
    down.roll();
    refused.roll();
    toldPackets = 0;
  }
}
