package io.viaduct.usage;

import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.UsageReport;
import java.util.Optional;

/// Checks that a SNAPT can have measured a report: a positive interval, flows within it, no more
/// bytes than its line carries, and a reachable sequence. Uses only the report.
public final class ReportPlausibility {
  /// Tolerance for the length of a flow, because flows and intervals are rounded to milliseconds
  /// separately at both ends.
  public static final long ROUNDING_MS = 2;

  /// Tolerance for queued bytes. They are counted in the interval in which they leave, so a line
  /// may carry this much more than the interval allows.
  public static final long BURST_MS = 200;

  /// Intervals of one second reach this number after 34,000 years.
  public static final long SEQUENCE_MAX = 1L << 40;

  /// No line carries more bytes in one interval, and sums of this bound do not overflow.
  private static final long BYTES_MAX = 1L << 50;

  private ReportPlausibility() {}

  /// Returns the first rule that a report breaks, or empty.
  ///
  /// @param bitPerSecond line rate of the SNAPT in each direction
  public static Optional<Finding> check(UsageReport report, long bitPerSecond) {
    if (report.getSequence() < 0 || report.getSequence() > SEQUENCE_MAX) {
      return Finding.of(
          ReportFlaw.SEQUENCE_JUMP,
          "sequence must be at most %d, got %s"
              .formatted(SEQUENCE_MAX, Long.toUnsignedString(report.getSequence())));
    }
    if (report.getEndMs() <= report.getStartMs()) {
      return Finding.of(
          ReportFlaw.EMPTY_INTERVAL,
          "end_ms must be after start_ms, got %d and %d"
              .formatted(report.getEndMs(), report.getStartMs()));
    }
    long lengthMs = report.getEndMs() - report.getStartMs();
    if (lengthMs < 0) { // so far apart that the difference overflows
      return Finding.of(ReportFlaw.EMPTY_INTERVAL, "start_ms and end_ms must be Unix milliseconds");
    }
    for (FlowUsage flow : report.getFlowsList()) {
      if (flow.getDurationMs() - ROUNDING_MS > lengthMs) {
        return Finding.of(
            ReportFlaw.FLOW_OVER_INTERVAL,
            "flow %s must last at most the interval's %d ms, got %d"
                .formatted(
                    Integer.toUnsignedString(flow.getFlow()), lengthMs, flow.getDurationMs()));
      }
    }
    return bytes(report, lengthMs, bitPerSecond);
  }

  private static Optional<Finding> bytes(UsageReport report, long lengthMs, long bitPerSecond) {
    double most = bitPerSecond / 8.0 * ((lengthMs + BURST_MS) / 1000.0);
    long[] sums = new long[4];
    for (FlowUsage flow : report.getFlowsList()) {
      add(sums, 0, flow.getUp());
      add(sums, 2, flow.getDown());
    }
    for (long sum : sums) {
      if (sum > most) {
        return Finding.of(
            ReportFlaw.OVER_LINE_RATE,
            "%d bytes in one direction in %d ms are more than %d bit/s carry"
                .formatted(sum, lengthMs, bitPerSecond));
      }
    }
    return Optional.empty();
  }

  // A count that is negative in Java is an unsigned count above every bound.
  private static void add(long[] sums, int at, DirectionUsage usage) {
    sums[at] = sum(sums[at], usage.getPreBytes());
    sums[at + 1] = sum(sums[at + 1], usage.getPostBytes());
  }

  private static long sum(long before, long bytes) {
    return bytes < 0 || bytes > BYTES_MAX
        ? Long.MAX_VALUE / 2
        : Math.min(before + bytes, Long.MAX_VALUE / 2);
  }
}
