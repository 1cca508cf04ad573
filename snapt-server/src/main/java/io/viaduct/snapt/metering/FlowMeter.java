package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowCounters;
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
  private boolean ended;
  private long upPackets;
  private long upPre;
  private long upPost;
  private long downPackets;
  private long downPre;
  private long downPost;
  private long upLost;
  private long downLost;
  private long refusedPackets;
  private long refusedBytes;

  FlowMeter(FlowState flow) {
    this.flow = flow;
  }

  FlowState flow() {
    return flow;
  }

  boolean ended() {
    return ended;
  }

  /// The flow has ended: its counters are final.
  void end() {
    loss.tick(flow);
    ended = true;
  }

  /// Twice a second.
  void tick() {
    loss.tick(flow);
  }

  /// A packet of the device was dropped behind the tunnel: nobody pays for it.
  void refuse(int bytes) {
    refusedPackets++;
    refusedBytes += bytes;
  }

  /// Whether all that the flow brought in the open interval was refused: then it is no line of the
  /// bill, and its outer bytes are overhead.
  boolean refusedWholly() {
    return refusedPackets > 0
        && flow.received().packets() - upPackets == refusedPackets
        && flow.sent().packets() == downPackets;
  }

  /// Outer bytes in the open interval.
  long postBytes() {
    return flow.received().postBytes() - upPost + flow.sent().postBytes() - downPost;
  }

  /// Whether the flow carried anything in the open interval.
  boolean carried() {
    FlowCounters up = flow.received();
    FlowCounters down = flow.sent();
    return up.packets() != upPackets
        || up.postBytes() != upPost
        || down.packets() != downPackets
        || down.postBytes() != downPost;
  }

  /// The usage so far; changes nothing.
  FlowUsage usage(
      int reportedId, String application, long startNs, long nowNs, double roundTripUs) {
    long upReceived = flow.received().packets() - upPackets - refusedPackets;
    long downSent = flow.sent().packets() - downPackets;
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
                    .setPreBytes(flow.received().preBytes() - upPre - refusedBytes)
                    .setPostBytes(flow.received().postBytes() - upPost)
                    .setPackets(upReceived)
                    .setLostPackets(Math.max(0, loss.up() - upLost)))
            .setDown(
                DirectionUsage.newBuilder()
                    .setPreBytes(flow.sent().preBytes() - downPre)
                    .setPostBytes(flow.sent().postBytes() - downPost)
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
    upPackets = flow.received().packets();
    upPre = flow.received().preBytes();
    upPost = flow.received().postBytes();
    downPackets = flow.sent().packets();
    downPre = flow.sent().preBytes();
    downPost = flow.sent().postBytes();
    upLost = loss.up();
    downLost = loss.down();
    refusedPackets = 0;
    refusedBytes = 0;
  }
}
