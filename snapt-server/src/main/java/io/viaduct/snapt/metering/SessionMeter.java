package io.viaduct.snapt.metering;

import io.viaduct.snapt.binding.Session;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.SessionTotals;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsageReport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// Divides a session into intervals and reports each: one line per flow that carried something,
/// sums that a receiver can check. Owned by the session's event loop.
///
/// Packets that travelled without a flow are flow 0, application "unclassified". The tunnel counts
/// their outer bytes as overhead; they are taken out of it again up to what such packets can cost,
/// so that nobody earns a discount by making packets that no flow can carry.
public final class SessionMeter {
  private static final String UNCLASSIFIED = "unclassified";
  private static final int FLOWLESS = 0;

  // Datagram header, tag, outer IPv6 and UDP header, block and record: what one packet alone costs.
  private static final int FLOWLESS_PACKET_OVERHEAD = 80;

  // A tunnel gives the id of a flow that ended to another one after 30 s, but in one report each id
  // is
  // one flow: the later one gets a number beyond the tunnel's 21 bits.
  private static final int SUBSTITUTE_IDS = 1 << 21;

  private final String snaptId;
  private final long epoch;
  private final Session session;
  private final SessionTotals totals;
  private final List<FlowMeter> flows = new ArrayList<>();
  private long sequence;
  private long startMs;
  private long startNs;
  private long flowlessUpPackets;
  private long flowlessUpBytes;
  private long flowlessDownPackets;
  private long flowlessDownBytes;
  private long overheadReported;
  private long refusedPost;

  /// @param epoch start counter of the SNAPT
  /// @param totals of the session's tunnel
  public SessionMeter(
      String snaptId, long epoch, Session session, SessionTotals totals, long nowMs, long nowNs) {
    this.snaptId = snaptId;
    this.epoch = epoch;
    this.session = session;
    this.totals = totals;
    this.startMs = nowMs;
    this.startNs = nowNs;
  }

  /// A flow came.
  public void onOpened(FlowState flow) {
    FlowMeter meter = new FlowMeter(flow);
    flow.attach(meter);
    flows.add(meter);
  }

  /// A flow ended; it stays in the books until its interval is reported.
  public void onEnded(FlowState flow) {
    if (flow.attachment() instanceof FlowMeter meter) {
      meter.end();
    }
  }

  /// A packet without flow came from the device and was forwarded.
  public void flowlessUp(int bytes) {
    flowlessUpPackets++;
    flowlessUpBytes += bytes;
  }

  /// A packet of a flow came from the device and was dropped behind the tunnel.
  public void refusedUp(FlowState flow, int bytes) {
    if (flow.attachment() instanceof FlowMeter meter) {
      meter.refuse(bytes);
    }
  }

  /// A packet without flow goes to the device.
  public void flowlessDown(int bytes) {
    flowlessDownPackets++;
    flowlessDownBytes += bytes;
  }

  /// Twice a second.
  public void onTick() {
    flows.forEach(FlowMeter::tick);
  }

  /// When the open interval began, in the loop's nanoseconds.
  public long startNs() {
    return startNs;
  }

  /// The number of the open interval.
  public long sequence() {
    return sequence;
  }

  /// The report of the open interval as far as it has come; changes nothing.
  ///
  /// @param roundTripUs of the probes, NaN if unknown
  public UsageReport soFar(long nowMs, long nowNs, double roundTripUs) {
    return report(nowMs, nowNs, roundTripUs, false);
  }

  /// Ends the open interval and begins the next.
  ///
  /// @param last whether the session ends with it
  public UsageReport close(long nowMs, long nowNs, double roundTripUs, boolean last) {
    UsageReport report = report(nowMs, nowNs, roundTripUs, last);
    overheadReported += report.getOverheadBytes() - refusedPost + flowlessPost(report);
    flows.removeIf(FlowMeter::ended);
    flows.forEach(FlowMeter::roll);
    flowlessUpPackets = 0;
    flowlessUpBytes = 0;
    flowlessDownPackets = 0;
    flowlessDownBytes = 0;
    startMs = report.getEndMs();
    startNs = nowNs;
    sequence++;
    return report;
  }

  private static long flowlessPost(UsageReport report) {
    return report.getFlowsList().stream()
        .filter(flow -> flow.getFlow() == FLOWLESS)
        .mapToLong(flow -> flow.getUp().getPostBytes() + flow.getDown().getPostBytes())
        .sum();
  }

  private UsageReport report(long nowMs, long nowNs, double roundTripUs, boolean last) {
    UsageReport.Builder report =
        UsageReport.newBuilder()
            .setSnaptId(snaptId)
            .setSessionId(session.id().toString())
            .setEpoch(epoch)
            .setSequence(sequence)
            .setAccount(session.token().getAccount())
            .setIcid(session.token().getIcid())
            .setTokenId(session.token().getTokenId())
            .setStartMs(startMs)
            // A wall clock that was set back must not make an interval end before it began.
            .setEndMs(Math.max(nowMs, startMs + 1))
            .setLast(last);
    Set<Integer> ids = new HashSet<>();
    int substitute = SUBSTITUTE_IDS;
    refusedPost = 0;
    for (FlowMeter meter : flows) {
      if (meter.refusedWholly()) {
        refusedPost += meter.postBytes();
      } else if (meter.carried()) {
        int id = ids.add(meter.flow().id()) ? meter.flow().id() : substitute++;
        report.addFlows(meter.usage(id, applicationOf(meter.flow()), startNs, nowNs, roundTripUs));
      }
    }
    addFlowless(report, nowNs);
    return sum(report);
  }

  private String applicationOf(FlowState flow) {
    List<String> names = session.terms().applications();
    return flow.isClassified() && flow.application() < names.size()
        ? names.get(flow.application())
        : UNCLASSIFIED;
  }

  private void addFlowless(UsageReport.Builder report, long nowNs) {
    long overhead = totals.sentOverheadBytes() + totals.receivedOverheadBytes() - overheadReported;
    long packets = flowlessUpPackets + flowlessDownPackets;
    long pre = flowlessUpBytes + flowlessDownBytes;
    long post = Math.clamp(pre + packets * FLOWLESS_PACKET_OVERHEAD, 0, Math.max(0, overhead));
    report.setOverheadBytes(Math.max(0, overhead - post) + refusedPost);
    if (packets == 0) {
      return;
    }
    long postUp = post * flowlessUpPackets / packets;
    report.addFlows(
        FlowUsage.newBuilder()
            .setFlow(FLOWLESS)
            .setServiceClass(ServiceClass.HT_HD)
            .setApplication(UNCLASSIFIED)
            .setRemoteAddress("::")
            .setUp(direction(flowlessUpBytes, postUp, flowlessUpPackets))
            .setDown(direction(flowlessDownBytes, post - postUp, flowlessDownPackets))
            .setDurationMs(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nowNs - startNs)))
            .setDelaySource(DelaySource.MISSING));
  }

  private static DirectionUsage direction(long pre, long post, long packets) {
    return DirectionUsage.newBuilder()
        .setPreBytes(pre)
        .setPostBytes(post)
        .setPackets(packets)
        .build();
  }

  private static UsageReport sum(UsageReport.Builder report) {
    long pre = 0;
    long post = 0;
    for (FlowUsage flow : report.getFlowsList()) {
      pre += flow.getUp().getPreBytes() + flow.getDown().getPreBytes();
      post += flow.getUp().getPostBytes() + flow.getDown().getPostBytes();
    }
    return report.setPreBytes(pre).setPostBytes(post).build();
  }
}
