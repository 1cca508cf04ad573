package io.viaduct.cnapt.usage;

import io.viaduct.tunnel.control.v1.IntervalBoundary;
import io.viaduct.usage.v1.DeviceFlow;
import io.viaduct.usage.v1.DeviceReport;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// Divides a session into the intervals of its SNAPT, and makes the device's report of each. An
/// interval ends with its boundary; the last one, for which no boundary comes, with the session.
///
/// The device's clock may be wrong, so times are those of the boundaries. A boundary that comes
/// late, because the control connection was away, does not fit the time that has passed here: its
/// interval gets no report, and the next one begins.
public final class SessionReports {
  private static final long LATE_MS_MAX = 1_000;
  private static final int LATE_PARTS = 20; // 5 % of the interval
  private static final long INTERVAL_MS_MAX = TimeUnit.MINUTES.toMillis(10);

  /// Identity of the reports of a session.
  record Session(String snaptId, String sessionId, long epoch) {}

  private final Session session;
  private final LongSupplier nanoTime;
  private final Consumer<DeviceReport.Builder> reports;
  private final UsageTap tap = new UsageTap(this::last);

  // Guarded by this: the control loop ends intervals, the data loop the session.
  private long sequence;
  private long startMs;
  private long startNs;

  /// @param nowMs the device's clock, by which the first interval begins if it has no boundary
  /// @param nanoTime time that passes
  /// @param reports gets each report without its account; must not block
  SessionReports(
      Session session, long nowMs, LongSupplier nanoTime, Consumer<DeviceReport.Builder> reports) {
    this.session = session;
    this.nanoTime = nanoTime;
    this.reports = reports;
    this.startMs = nowMs;
    this.startNs = nanoTime.getAsLong();
  }

  /// Returns the way from the data path.
  public UsageTap tap() {
    return tap;
  }

  /// Ends an interval. The same boundary again has no effect.
  public synchronized void boundary(IntervalBoundary boundary) {
    if (boundary.getSequence() < sequence || boundary.getEndMs() <= boundary.getStartMs()) {
      return;
    }
    long nowNs = nanoTime.getAsLong();
    long passedMs = TimeUnit.NANOSECONDS.toMillis(nowNs - startNs);
    long lengthMs = boundary.getEndMs() - boundary.getStartMs();
    boolean fits = Math.abs(passedMs - lengthMs) <= Math.max(LATE_MS_MAX, lengthMs / LATE_PARTS);
    DeviceReport.Builder report =
        report(boundary.getSequence(), boundary.getStartMs(), boundary.getEndMs());
    tap.take(flows -> {
      if (fits) {
        add(report, flows);
      }
    });
    sequence = boundary.getSequence() + 1;
    startMs = boundary.getEndMs();
    startNs = nowNs;
  }

  // No boundary of the open interval will come, or too late: the SNAPT would have given it the next
  // number.
  private synchronized void last(List<DeviceFlow> flows) {
    long passedMs = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - startNs);
    long endMs = startMs + Math.max(1, passedMs);
    long beganMs = Math.max(startMs, endMs - INTERVAL_MS_MAX);
    add(report(sequence, beganMs, endMs).setLast(true), flows);
  }

  private DeviceReport.Builder report(long number, long fromMs, long toMs) {
    return DeviceReport.newBuilder()
        .setSnaptId(session.snaptId())
        .setSessionId(session.sessionId())
        .setEpoch(session.epoch())
        .setSequence(number)
        .setStartMs(fromMs)
        .setEndMs(toMs);
  }

  private void add(DeviceReport.Builder report, List<DeviceFlow> flows) {
    if (flows.isEmpty()) {
      return;
    }
    long lengthMs = report.getEndMs() - report.getStartMs();
    for (DeviceFlow flow : flows) {
      report.addFlows(
          flow.toBuilder()
              .setFlow(report.getFlowsCount() + 1)
              .setDurationMs(Math.clamp(flow.getDurationMs(), 1, lengthMs)));
    }
    reports.accept(report);
  }
}
