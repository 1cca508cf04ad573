package io.viaduct.snapt.reporting;

import io.viaduct.snapt.metering.IntervalUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.UsageReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/// Holds the usage of all open intervals so far: for each interval, the newest line of each flow
/// and the session token. Applying the same changes twice has no further effect. Owned by the
/// [IntervalLog].
final class OpenIntervals {
  private final Map<ReportIdentity, Interval> intervals = new HashMap<>();
  private long bytes;

  /// The line of a flow, and the time to which it applies. The flow continues after that time, even
  /// without traffic.
  private record Line(FlowUsage usage, long atMs) {
    FlowUsage until(long endMs) {
      return usage.getEnded() || endMs <= atMs
          ? usage
          : usage.toBuilder().setDurationMs(usage.getDurationMs() + endMs - atMs).build();
    }
  }

  private static final class Interval {
    private UsageReport heading = UsageReport.getDefaultInstance();
    private SignedSessionToken token = SignedSessionToken.getDefaultInstance();
    private boolean receipts;
    private final Map<Integer, Line> lines = new LinkedHashMap<>();

    /// @return growth in bytes
    long take(IntervalUsage usage) {
      UsageReport changes = usage.report();
      long grown = usage.token().getSerializedSize() - token.getSerializedSize();
      token = usage.token();
      receipts = usage.receipts();
      grown -= heading.getSerializedSize();
      heading = changes.toBuilder().clearFlows().build();
      grown += heading.getSerializedSize();
      for (FlowUsage flow : changes.getFlowsList()) {
        Line before = lines.put(flow.getFlow(), new Line(flow, changes.getEndMs()));
        grown += flow.getSerializedSize();
        grown -= before == null ? 0 : before.usage.getSerializedSize();
      }
      return grown;
    }

    UsageReport report() {
      UsageReport.Builder report = heading.toBuilder();
      long pre = 0;
      long post = 0;
      for (Line line : lines.values()) {
        FlowUsage flow = line.until(heading.getEndMs());
        report.addFlows(flow);
        pre += flow.getUp().getPreBytes() + flow.getDown().getPreBytes();
        post += flow.getUp().getPostBytes() + flow.getDown().getPostBytes();
      }
      return report.setPreBytes(pre).setPostBytes(post).build();
    }

    IntervalUsage usage(UsageReport report) {
      return new IntervalUsage(report, token, receipts);
    }

    long bytes() {
      long sum = heading.getSerializedSize() + token.getSerializedSize();
      for (Line line : lines.values()) {
        sum += line.usage.getSerializedSize();
      }
      return sum;
    }
  }

  /// Applies the changes of one interval.
  ///
  /// @return true if these are the interval's first changes with this token
  boolean take(IntervalUsage changes) {
    Interval interval =
        intervals.computeIfAbsent(ReportIdentity.of(changes.report()), _ -> new Interval());
    boolean another = !changes.token().equals(interval.token);
    bytes += interval.take(changes);
    return another;
  }

  void close(ReportIdentity identity) {
    Interval closed = intervals.remove(identity);
    bytes -= closed == null ? 0 : closed.bytes();
  }

  void clear() {
    intervals.clear();
    bytes = 0;
  }

  int size() {
    return intervals.size();
  }

  /// Returns the approximate size of all open intervals on disk, in bytes.
  long bytes() {
    return bytes;
  }

  /// Returns each open interval as one report.
  List<IntervalUsage> usages() {
    return intervals.values().stream().map(one -> one.usage(one.report())).toList();
  }

  /// Returns each open interval as one report, after the end of the process. The newest interval of
  /// each session is then the session's last.
  List<IntervalUsage> lastUsages() {
    Map<UUID, Long> newest = new HashMap<>();
    intervals.keySet().forEach(one -> newest.merge(one.session(), one.sequence(), Math::max));
    List<IntervalUsage> usages = new ArrayList<>();
    intervals.forEach((identity, interval) -> {
      boolean last = Objects.equals(newest.get(identity.session()), identity.sequence());
      usages.add(interval.usage(interval.report().toBuilder().setLast(last).build()));
    });
    return usages;
  }
}
