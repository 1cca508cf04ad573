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

  private static final int NO_LINE = -1;

  private final FlowState flow;
  private final String remoteAddress;
  private final FlowDelay delay = new FlowDelay();
  private final FlowLoss loss = new FlowLoss();
  private final IntervalCounters up;
  private final IntervalCounters down;
  private final Refused refused = new Refused();
  private boolean ended;
  private long upLost;
  private long downLost;
  private int line = NO_LINE;
  // What the flow had come to when it was told last.
  private long toldPackets;
  private long toldPostBytes;
  private long toldLost;
  private long toldHeardNs;
  private boolean toldEnd;

  FlowMeter(FlowState flow) {
    this.flow = flow;
    remoteAddress = flow.remoteAddress().getHostAddress();
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

  void refuse(int packets, int bytes) {
    refused.add(packets, bytes);
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

  /// Whether the flow has its number in the open interval's report.
  boolean numbered() {
    return line != NO_LINE;
  }

  /// Its number in the open interval's report.
  void number(int reported) {
    line = reported;
  }

  /// Whether anything has changed since the last call.
  boolean changed() {
    long packets = flow.received().packets() + flow.sent().packets();
    long postBytes = flow.received().postBytes() + flow.sent().postBytes();
    long lost = loss.up() + loss.down();
    long heardNs = flow.peer().heardNs();
    boolean same =
        packets == toldPackets
            && postBytes == toldPostBytes
            && lost == toldLost
            && heardNs == toldHeardNs
            && ended == toldEnd;
    toldPackets = packets;
    toldPostBytes = postBytes;
    toldLost = lost;
    toldHeardNs = heardNs;
    toldEnd = ended;
    return !same;
  }

  /// The usage so far; changes nothing.
  FlowUsage usage(String application, long startNs, long nowNs, double roundTripUs) {
    long upReceived = up.packets() - refused.packets();
    long downSent = down.packets();
    long lostDown = Math.clamp(loss.down() - downLost, 0, downSent);
    FlowDelay.Mean mean = delay.mean(flow, upReceived, downSent, roundTripUs);
    boolean portless = flow.protocol() == ICMP || flow.protocol() == ICMPV6;
    FlowUsage.Builder usage =
        FlowUsage.newBuilder()
            .setFlow(line)
            .setServiceClassValue(flow.serviceClass().ordinal() + 1)
            .setApplication(application)
            .setProtocol(flow.protocol())
            .setRemoteAddress(remoteAddress)
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
    line = NO_LINE;
  }
}
