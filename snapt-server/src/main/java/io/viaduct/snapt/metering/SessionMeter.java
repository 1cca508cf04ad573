package io.viaduct.snapt.metering;

import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.SessionTotals;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Divides a session into intervals and reports each: one line per flow that carried something,
/// sums that a receiver can check. Owned by the session's event loop.
///
/// Packets that travelled without a flow are flow 0, application "unclassified".
public final class SessionMeter {
  private static final String UNCLASSIFIED = "unclassified";
  // A tunnel gives the id of a flow that ended to another one after 30 s, but in one report each
  // id is one flow: the later one gets a number beyond the tunnel's 21 bits.
  private static final int SUBSTITUTE_IDS = 1 << 21;

  private final String snaptId;
  private final long epoch;
  private final Session session;
  private final SessionTotals totals;
  private final FlowlessMeter flowless;
  private final List<FlowMeter> flows = new ArrayList<>();
  // Numbers of the open interval's lines: each keeps its own, so that a later word on a flow
  // replaces the earlier one.
  private final Set<Integer> numbers = new HashSet<>();
  private int substitute = SUBSTITUTE_IDS;
  private boolean told;
  private long sequence;
  private long startMs;
  private long startNs;
  private long overheadBefore;

  /// @param epoch start counter of the SNAPT
  /// @param totals of the session's tunnel
  public SessionMeter(
      String snaptId, long epoch, Session session, SessionTotals totals, long nowMs, long nowNs) {
    this.snaptId = snaptId;
    this.epoch = epoch;
    this.session = session;
    this.totals = totals;
    this.flowless = new FlowlessMeter(totals);
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
  public void onEnded(FlowState flow, long nowNs) {
    if (flow.attachment() instanceof FlowMeter meter) {
      meter.end(nowNs);
    }
  }

  /// Packets came from the device and were dropped behind the tunnel.
  ///
  /// @param flow null for packets that travelled without flow
  /// @param bytes of all of them, as they would have travelled one by one
  public void refusedUp(@Nullable FlowState flow, int packets, int bytes) {
    if (flow == null) {
      flowless.refuse(packets, bytes);
    } else if (flow.attachment() instanceof FlowMeter meter) {
      meter.refuse(packets, bytes);
    }
  }

  /// Twice a second.
  public void onTick(long nowNs) {
    flows.forEach(meter -> meter.tick(nowNs));
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
    return report(session.token(), nowMs, nowNs, roundTripUs, false, false);
  }

  /// What has changed in the open interval since the last call: a report with the lines of those
  /// flows only, null if there is none. It replaces what was said of these flows before; a flow has
  /// the same number throughout.
  public @Nullable IntervalUsage changes(long nowMs, long nowNs, double roundTripUs) {
    ShownToken token = session.shown();
    UsageReport report = report(token.content(), nowMs, nowNs, roundTripUs, false, true);
    if (told && report.getFlowsCount() == 0) {
      return null;
    }
    told = true;
    return usage(report, token);
  }

  /// Ends the open interval and begins the next, whose number leaves room for the
  /// [parts][ReportParts] of this one.
  ///
  /// @param last whether the session ends with it
  public IntervalUsage close(long nowMs, long nowNs, double roundTripUs, boolean last) {
    ShownToken token = session.shown();
    UsageReport report = report(token.content(), nowMs, nowNs, roundTripUs, last, false);
    overheadBefore = overhead();
    flows.removeIf(FlowMeter::ended);
    flows.forEach(FlowMeter::roll);
    flowless.roll();
    startMs = report.getEndMs();
    startNs = nowNs;
    sequence += ReportParts.count(report);
    numbers.clear();
    substitute = SUBSTITUTE_IDS;
    told = false;
    return usage(report, token);
  }

  private IntervalUsage usage(UsageReport report, ShownToken token) {
    return new IntervalUsage(report, token.signed(), session.terms().receipts());
  }

  private long overhead() {
    return totals.sentOverheadBytes() + totals.receivedOverheadBytes();
  }

  private UsageReport report(
      SessionToken token,
      long nowMs,
      long nowNs,
      double roundTripUs,
      boolean last,
      boolean changesOnly) {
    UsageReport.Builder report =
        UsageReport.newBuilder()
            .setSnaptId(snaptId)
            .setSessionId(session.id().toString())
            .setEpoch(epoch)
            .setSequence(sequence)
            .setAccount(token.getAccount())
            .setIcid(token.getIcid())
            .setTokenId(token.getTokenId())
            .setStartMs(startMs)
            // A wall clock that was set back must not make an interval end before it began.
            .setEndMs(Math.max(nowMs, startMs + 1))
            .setLast(last);
    long refusedPost = 0;
    for (FlowMeter meter : flows) {
      if (meter.refusedWholly()) {
        refusedPost += meter.postBytes();
      } else if (meter.carried() && (!changesOnly || meter.changed())) {
        if (!meter.numbered()) {
          meter.number(numbers.add(meter.flow().id()) ? meter.flow().id() : substitute++);
        }
        report.addFlows(
            within(report, meter.usage(applicationOf(meter.flow()), startNs, nowNs, roundTripUs)));
      }
    }
    if (flowless.refusedWholly()) {
      refusedPost += flowless.postBytes();
    } else if (flowless.carried() && (!changesOnly || flowless.changed())) {
      report.addFlows(within(report, flowless.usage(UNCLASSIFIED, startNs, nowNs)));
    }
    return ReportParts.sum(report.setOverheadBytes(overhead() - overheadBefore + refusedPost));
  }

  // Flows are measured by a clock that never steps, intervals by one that NTP slews or sets back. A
  // flow that is longer than its interval would be refused.
  private static FlowUsage within(UsageReport.Builder interval, FlowUsage usage) {
    long lengthMs = interval.getEndMs() - interval.getStartMs();
    return usage.getDurationMs() <= lengthMs
        ? usage
        : usage.toBuilder().setDurationMs(lengthMs).build();
  }

  private String applicationOf(FlowState flow) {
    List<String> names = session.terms().applications();
    return flow.isClassified() && flow.application() < names.size()
        ? names.get(flow.application())
        : UNCLASSIFIED;
  }
}
