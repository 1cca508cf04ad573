package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import java.util.concurrent.TimeUnit;

/// What one flow did in the open interval: its counters now, less what they were when the interval
/// began. Directions are the device's: up is received here, down is sent from here. Owned by the
/// session's event loop.
final class FlowMeter {
  private static final int ICMP = 1;
  private static final int ICMPV6 = 58;

  private final FlowState flow;
  private final FlowDelay delay = new FlowDelay();
  private final FlowLoss loss = new FlowLoss();
  private final IntervalCounters up;
  private final IntervalCounters down;
  private final Refused refused = new Refused();
  private boolean ended;
  private long upLost;
  private long downLost;

  FlowMeter(FlowState flow) {
    this.flow = flow;
    up = new IntervalCounters(flow.received());
    down = new IntervalCounters(flow.sent());
  }

  FlowState flow() {
    return flow;
  }

  boolean ended() {
    return ended;
  }

  /// The flow has ended: its counters are final.
  void end(long nowNs) {
    loss.tick(flow, nowNs);
    ended = true;
  }

  /// Twice a second.
  void tick(long nowNs) {
    loss.tick(flow, nowNs);
  }

  void refuse(int bytes) {
    refused.add(bytes);
  }

  boolean refusedWholly() {
    return refused.wholly(up, down);
  }

  /// Outer bytes in the open interval.
  long postBytes() {
    return up.postBytes() + down.postBytes();
  }

  /// Whether the flow carried anything in the open interval.
  boolean carried() {
    return up.carried() || down.carried();
  }

  /// The usage so far; changes nothing.
  FlowUsage usage(
      int reportedId, String application, long startNs, long nowNs, double roundTripUs) {
    long upReceived = up.packets() - refused.packets();
    long downSent = down.packets();
    long lostDown = Math.clamp(loss.down() - downLost, 0, downSent);
    FlowDelay.Mean mean = delay.mean(flow, upReceived, downSent, roundTripUs);
    boolean portless = flow.protocol() == ICMP || flow.protocol() == ICMPV6;
    FlowUsage.Builder usage =
        FlowUsage.newBuilder()
            .setFlow(reportedId)
            .setServiceClassValue(flow.serviceClass().ordinal() + 1)
            .setApplication(application)
            .setProtocol(flow.protocol())
            .setRemoteAddress(flow.remoteAddress().getHostAddress())
            .setRemotePort(portless ? 0 : flow.remotePort())
            .setUp(
                DirectionUsage.newBuilder()
                    .setPreBytes(up.preBytes() - refused.bytes())
                    .setPostBytes(up.postBytes())
                    .setPackets(upReceived)
                    .setLostPackets(Math.max(0, loss.up() - upLost)))
            .setDown(
                DirectionUsage.newBuilder()
                    .setPreBytes(down.preBytes())
                    .setPostBytes(down.postBytes())
                    .setPackets(downSent - lostDown)
                    .setLostPackets(lostDown))
            .setDurationMs(durationMs(startNs, nowNs))
            .setDelaySource(mean.source())
            .setJitterMs(delay.jitterMs(flow, upReceived, downSent))
            .setEnded(ended);
    if (mean.source() != DelaySource.MISSING) {
      usage.setDelayMs(mean.delayMs());
    }
    return usage.build();
  }

  private long durationMs(long startNs, long nowNs) {
    long from = Math.max(startNs, flow.openedNs());
    long to = ended ? Math.max(from, flow.lastNs()) : nowNs;
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(to - from));
  }

  /// The interval has ended and was reported: the next one begins here.
  void roll() {
    delay.roll(flow);
    up.roll();
    down.roll();
    refused.roll();
    upLost = loss.up();
    downLost = loss.down();
  }
}
