package io.viaduct.snapt.metering;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import java.util.concurrent.TimeUnit;

/// Meters one flow in the open interval: the difference between its counters now and at the start
/// of the interval. Directions are those of the device: up is received here, down is sent from
/// here. Owned by the session's event loop.
///
/// Both directions are charged at the receiving end (ADR 0024). Down, the charge is the sent bytes
/// less the bytes that the device reports as lost (FLOW_STATS). That loss is limited to a share of
/// the sent bytes.
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
  private final int lossPercentMax;
  private boolean relaying;
  private boolean ended;
  private long upLost;
  private long downLost;
  // Bytes that arrived at the device and are in earlier reports.
  private long downReported;
  private long upWaitedNs;
  private long downWaitedNs;
  private int line = NO_LINE;
  // Values at the flow's last checkpoint.
  private long reportedPackets;
  private long reportedPostBytes;
  private long reportedLost;
  private long reportedHeardNs;
  private boolean reportedEnd;

  /// @param lossPercentMax largest share of the sent bytes, in percent, that the device may report
  ///   as lost
  /// @param relaying true if the flow carries the datagrams of neighbours: it is charged to nobody
  FlowMeter(FlowState flow, int lossPercentMax, boolean relaying) {
    this.flow = flow;
    this.relaying = relaying;
    this.lossPercentMax = lossPercentMax;
    remoteAddress = flow.remoteAddress().getHostAddress();
    up = new IntervalCounters(flow.received());
    down = new IntervalCounters(flow.sent());
  }

  FlowState flow() {
    return flow;
  }

  /// The remote end has become known as that of a tunnel, after the flow had begun.
  void relaying() {
    relaying = true;
  }

  boolean isEnded() {
    return ended;
  }

  /// Records that the flow has ended and its counters are final.
  void end(long nowNs) {
    loss.tick(flow, nowNs);
    ended = true;
  }

  /// Updates delay and loss. Called at least twice a second.
  void tick(long nowNs) {
    loss.tick(flow, nowNs);
  }

  void refuse(int packets, int bytes) {
    refused.add(packets, bytes);
  }

  boolean isRelaying() {
    return relaying;
  }

  /// Returns true if the flow has no line in the report, and its outer bytes count as overhead.
  boolean isOverhead() {
    return relaying || refused.wholly(up, down);
  }

  /// Returns the outer bytes of the open interval.
  long postBytes() {
    return up.postBytes() + down.postBytes();
  }

  /// Returns true if the flow has usage to report in the open interval.
  boolean hasCarried() {
    return up.hasCarried() || down.hasCarried() || arrivedDown() > 0;
  }

  /// Returns the inner bytes that arrived at the device and are in no earlier report. Never
  /// negative: loss that is detected after an interval was reported is deducted from the next.
  private long arrivedDown() {
    return Math.max(0, arrivedDownSinceOpening() - downReported);
  }

  private long arrivedDownSinceOpening() {
    long sent = flow.sent().preBytes();
    return sent - Math.min(loss.downBytes(), sent * lossPercentMax / 100);
  }

  /// Returns true if the flow has a line number in the open interval's report.
  boolean isNumbered() {
    return line != NO_LINE;
  }

  /// Sets the line number of the flow in the open interval's report.
  void number(int reported) {
    line = reported;
  }

  /// Returns true if anything has changed since the last call.
  boolean hasChanged() {
    long packets = flow.received().packets() + flow.sent().packets();
    long postBytes = flow.received().postBytes() + flow.sent().postBytes();
    long lost = loss.up() + loss.down() + loss.downBytes();
    long heardNs = flow.peer().heardNs();
    boolean same =
        packets == reportedPackets
            && postBytes == reportedPostBytes
            && lost == reportedLost
            && heardNs == reportedHeardNs
            && ended == reportedEnd;
    reportedPackets = packets;
    reportedPostBytes = postBytes;
    reportedLost = lost;
    reportedHeardNs = heardNs;
    reportedEnd = ended;
    return !same;
  }

  /// Returns the usage of the open interval so far, without changing any state.
  ///
  /// @param path its offer is that of the interval
  FlowUsage usage(String application, long startNs, long nowNs, MeasuredPath path) {
    long upReceived = up.packets() - refused.packets();
    long downSent = down.packets();
    long lostDown = Math.clamp(loss.down() - downLost, 0, downSent * lossPercentMax / 100);
    long lostUpMax = upReceived * lossPercentMax / (100 - lossPercentMax);
    long lostUp = Math.clamp(loss.up() - upLost, 0, lostUpMax);
    FlowDelay.Mean mean = delay.mean(flow, upReceived, downSent, path, nowNs - startNs);
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
                    .setLostPackets(lostUp))
            .setDown(
                DirectionUsage.newBuilder()
                    .setPreBytes(arrivedDown())
                    .setPostBytes(down.postBytes())
                    .setPackets(downSent - lostDown)
                    .setLostPackets(lostDown))
            .setDurationMs(durationMs(startNs, nowNs))
            .setDelaySource(mean.source())
            .setJitterMs(delay.jitterMs(flow, upReceived, downSent))
            .setEnded(ended)
            .setLink(flow.link().most());
    // Without an offer, busy counts as 1.
    if (down.preBytes() >= up.preBytes()) {
      addOffer(usage, nowNs - startNs, path.down(), downWaitedNs);
    } else if (path.up() != null) {
      addOffer(usage, nowNs - startNs, path.up(), upWaitedNs);
    }
    if (mean.source() != DelaySource.MISSING) {
      usage.setDelayMs(mean.delayMs());
      if (!Double.isNaN(mean.errorMs())) {
        usage.setDelayErrorMs(mean.errorMs());
      }
    }
    return usage.build();
  }

  private void addOffer(
      FlowUsage.Builder usage, long intervalNs, DirectionOffer offer, long beforeNs) {
    long saidNs = offer.waitedNs().applyAsLong(flow) - beforeNs;
    // A flow that carries most of what fills the path waits for it, whatever the device says.
    boolean fills = offer.fullNs() > 0 && 2 * up.postBytes() >= offer.carriedBytes();
    long waitedNs = fills ? Math.max(saidNs, offer.fullNs()) : saidNs;
    new FlowOffer(intervalNs, waitedNs, offer.spareBytes()).addTo(usage);
  }

  void survey(UsageReader reader, String application, long startNs, long nowNs) {
    boolean charged = hasCarried() && !isOverhead();
    long bytes = charged ? up.preBytes() - refused.bytes() + arrivedDown() : 0;
    reader.flow(flow, application, bytes, charged ? durationMs(startNs, nowNs) : 0, !ended);
  }

  private long durationMs(long startNs, long nowNs) {
    long from = Math.max(startNs, flow.openedNs());
    long to = ended ? Math.max(from, flow.lastNs()) : nowNs;
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(to - from));
  }

  /// Starts the next interval, after the last one was reported.
  void roll(MeasuredPath path) {
    downWaitedNs = path.down().waitedNs().applyAsLong(flow);
    upWaitedNs = path.up() == null ? 0 : path.up().waitedNs().applyAsLong(flow);
    flow.link().begin();
    delay.roll(flow);
    downReported = Math.max(downReported, arrivedDownSinceOpening());
    up.roll();
    down.roll();
    refused.roll();
    upLost = loss.up();
    downLost = loss.down();
    line = NO_LINE;
  }
}
