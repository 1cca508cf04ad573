package io.viaduct.snapt.metering;

import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Divides a session into intervals and makes a report of each. A report has one line per flow with
/// usage, and sums that a receiver can check. Owned by the session's event loop.
///
/// Packets without a flow are flow 0, application "unclassified".
public final class SessionMeter {
  /// Difference from the wall clock, in ms, from which on the clock was set; it is slewed by less.
  private static final long CLOCK_STEP_MS = 1_000;

  private static final String UNCLASSIFIED = "unclassified";
  // A tunnel reuses the id of an ended flow after 30 s, but in one report each id stands for one
  // flow. The later flow gets a number above the tunnel's 21 bits.
  private static final int SUBSTITUTE_IDS = 1 << 21;

  private final String snaptId;
  private final long epoch;
  private final int lossPercentMax;
  private final Session session;
  private final SessionTotals totals;
  private final FlowlessMeter flowless;
  private final List<FlowMeter> flows = new ArrayList<>();
  private final IntervalRelays relays = new IntervalRelays();
  // Line numbers of the open interval. A flow keeps its number, so that a later checkpoint of the
  // flow replaces the earlier one.
  private final Set<Integer> numbers = new HashSet<>();
  private int substitute = SUBSTITUTE_IDS;
  private boolean reported;
  private long sequence;
  private long startMs;
  // Time of the loop's clock at startMs. It measures the interval, because the wall clock may be
  // set.
  private long beganNs;
  private long startNs;
  private long overheadBefore;

  /// @param epoch start counter of the SNAPT
  /// @param lossPercentMax largest share of a flow's sent bytes, in percent, that the device may
  ///   report as lost
  /// @param totals counters of the session's tunnel
  public SessionMeter(
      String snaptId,
      long epoch,
      int lossPercentMax,
      Session session,
      SessionTotals totals,
      long nowMs,
      long nowNs) {
    this.lossPercentMax = lossPercentMax;
    this.snaptId = snaptId;
    this.epoch = epoch;
    this.session = session;
    this.totals = totals;
    this.flowless = new FlowlessMeter(totals);
    this.startMs = nowMs;
    this.beganNs = nowNs;
    this.startNs = nowNs;
  }

  /// Starts to meter a new flow.
  ///
  /// @param relaying true if it carries the datagrams of neighbours to the end of a tunnel: their
  ///   own sessions pay for what is in them, so the outer bytes of the flow are overhead
  public void onOpened(FlowState flow, boolean relaying) {
    FlowMeter meter = new FlowMeter(flow, lossPercentMax, relaying);
    flow.attach(meter);
    flows.add(meter);
  }

  /// Records the end of a flow. The flow stays in the meter until its interval is reported.
  public void onEnded(FlowState flow, long nowNs) {
    if (flow.attachment() instanceof FlowMeter meter) {
      meter.end(nowNs);
    }
  }

  /// Deducts packets that the SNAPT itself has sent to the device without a flow. They are not
  /// charged.
  public void ownDown(int packets, int bytes) {
    flowless.own(packets, bytes);
  }

  /// Deducts packets from the device that were dropped after the tunnel.
  ///
  /// @param flow null for packets without a flow
  /// @param bytes total inner size, with a superpacket counted as its segments
  public void refusedUp(@Nullable FlowState flow, int packets, int bytes) {
    if (flow == null) {
      flowless.refuse(packets, bytes);
    } else if (flow.attachment() instanceof FlowMeter meter) {
      meter.refuse(packets, bytes);
    }
  }

  /// Returns whether a flow carries the datagrams of neighbours.
  public static boolean isRelaying(@Nullable FlowState flow) {
    return flow != null && flow.attachment() instanceof FlowMeter meter && meter.isRelaying();
  }

  /// Charges a flow to nobody, because its remote end has become known as that of a tunnel.
  public static void relaying(FlowState flow) {
    if (flow.attachment() instanceof FlowMeter meter) {
      meter.relaying();
    }
  }

  /// Counts wire bytes of the session that came or went by the session of a neighbour.
  ///
  /// @param account of that session
  public RelayOutcome relayed(String account, long bytes) {
    if (account.equals(session.token().getAccount())) {
      return RelayOutcome.OWN_ACCOUNT;
    }
    return relays.add(account, bytes) ? RelayOutcome.NAMED : RelayOutcome.TOO_MANY;
  }

  /// Updates the meters of all flows. Called at least twice a second.
  public void onTick(long nowNs) {
    flows.forEach(meter -> meter.tick(nowNs));
  }

  /// Returns the start of the open interval, in nanoseconds of the loop's clock.
  public long startNs() {
    return startNs;
  }

  /// Returns the sequence number of the open interval.
  public long sequence() {
    return sequence;
  }

  /// Returns the report of the open interval so far, without changing any state.
  ///
  /// @param path measurements of the session's path
  public UsageReport soFar(long nowNs, MeasuredPath path) {
    return report(session.token(), nowNs, path, false, false);
  }

  /// Returns the changes of the open interval since the last call, or null if there are none. The
  /// report has only the lines of the changed flows. These lines replace earlier lines with the
  /// same number.
  public @Nullable IntervalUsage changes(long nowNs, MeasuredPath path) {
    ShownToken token = session.shown();
    UsageReport report = report(token.content(), nowNs, path, false, true);
    if (reported && report.getFlowsCount() == 0) {
      return null;
    }
    reported = true;
    return usage(report, token);
  }

  /// Ends the open interval and starts the next. The next sequence number leaves room for the
  /// [parts][ReportParts] of this report.
  ///
  /// @param nowMs wall clock, by which the next interval begins if the clock was set
  /// @param nowNs end of the interval, by the loop's clock
  /// @param last true if the session ends with this interval
  public IntervalUsage close(long nowMs, long nowNs, MeasuredPath path, boolean last) {
    ShownToken token = session.shown();
    UsageReport report = report(token.content(), nowNs, path, last, false);
    overheadBefore = overhead();
    flows.removeIf(FlowMeter::isEnded);
    flows.forEach(flow -> flow.roll(path));
    flowless.roll();
    relays.roll();
    begin(nowMs, nowNs);
    startNs = nowNs;
    sequence += ReportParts.count(report);
    numbers.clear();
    substitute = SUBSTITUTE_IDS;
    reported = false;
    return usage(report, token);
  }

  /// Passes the use of the open interval so far to a reader, without changing any state.
  public void survey(UsageReader reader, long nowNs) {
    for (FlowMeter meter : flows) {
      if (!meter.isRelaying()) { // charged to nobody, so it needs no quota
        meter.survey(reader, applicationOf(meter.flow()), startNs, nowNs);
      }
    }
    flowless.survey(reader, UNCLASSIFIED, startNs, nowNs);
  }

  /// Returns true if the open interval has usage to report.
  public boolean hasCarried() {
    return flowless.hasCarried() || flows.stream().anyMatch(FlowMeter::hasCarried);
  }

  /// Lets the open interval go on without usage, because the device sleeps. Its start stays; the
  /// duration of its flows begins here. Flows that have ended are forgotten.
  public void rest(long nowNs) {
    flows.removeIf(FlowMeter::isEnded);
    startNs = nowNs;
  }

  /// Lets the open interval begin now, if nothing in it will be charged. Its end moves by as much.
  ///
  /// @return true if it does
  public boolean beginAnew(long nowMs, long nowNs) {
    boolean isCharged =
        flowless.hasCarried() && !flowless.isRefusedWholly()
            || flows.stream().anyMatch(each -> each.hasCarried() && !each.isOverhead());
    if (isCharged) {
      return false;
    }
    rest(nowNs);
    begin(nowMs, nowNs);
    return true;
  }

  // Intervals follow each other without a gap, except where the wall clock was set.
  private void begin(long nowMs, long nowNs) {
    long endMs = endMs(nowNs);
    if (Math.abs(nowMs - endMs) <= CLOCK_STEP_MS) {
      beganNs += TimeUnit.MILLISECONDS.toNanos(endMs - startMs); // what is cut off is not lost
      startMs = endMs;
    } else {
      beganNs = nowNs;
      startMs = nowMs;
    }
  }

  private long endMs(long nowNs) {
    return startMs + Math.max(1, TimeUnit.NANOSECONDS.toMillis(nowNs - beganNs));
  }

  private IntervalUsage usage(UsageReport report, ShownToken token) {
    return new IntervalUsage(report, token.signed(), session.terms().receipts());
  }

  private long overhead() {
    return totals.sentOverheadBytes() + totals.receivedOverheadBytes();
  }

  private UsageReport report(
      SessionToken token, long nowNs, MeasuredPath path, boolean last, boolean changesOnly) {
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
            .setEndMs(endMs(nowNs))
            .setLast(last);
    relays.addTo(report);
    long uncharged = 0;
    for (FlowMeter meter : flows) {
      if (meter.isOverhead()) {
        uncharged += meter.postBytes();
      } else if (meter.hasCarried() && (!changesOnly || meter.hasChanged())) {
        if (!meter.isNumbered()) {
          meter.number(numbers.add(meter.flow().id()) ? meter.flow().id() : substitute++);
        }
        report.addFlows(
            within(report, meter.usage(applicationOf(meter.flow()), startNs, nowNs, path)));
      }
    }
    if (flowless.isRefusedWholly()) {
      uncharged += flowless.postBytes();
    } else if (flowless.hasCarried() && (!changesOnly || flowless.hasChanged())) {
      report.addFlows(within(report, flowless.usage(UNCLASSIFIED, startNs, nowNs)));
    }
    return ReportParts.sum(report.setOverheadBytes(overhead() - overheadBefore + uncharged));
  }

  // The bridge would refuse a flow that is longer than its interval. Milliseconds are cut off.
  private static FlowUsage within(UsageReport.Builder interval, FlowUsage usage) {
    long lengthMs = interval.getEndMs() - interval.getStartMs();
    return usage.getDurationMs() <= lengthMs
        ? usage
        : usage.toBuilder().setDurationMs(lengthMs).build();
  }

  /// Returns the name of a flow's application, as in the report.
  public String applicationOf(FlowState flow) {
    List<String> names = session.terms().applications();
    return flow.isClassified() && flow.application() < names.size()
        ? names.get(flow.application())
        : UNCLASSIFIED;
  }
}
