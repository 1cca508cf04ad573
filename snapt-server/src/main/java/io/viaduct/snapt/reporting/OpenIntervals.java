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

/// What the reports of all open intervals have come to: per interval the newest line of each flow,
/// and the token that authorises it. Taking the same changes twice changes nothing. The
/// [IntervalLog] owns it.
final class OpenIntervals {
  private final Map<ReportIdentity, Interval> intervals = new HashMap<>();
  private long bytes;

  /// A flow's line, and when it was true: a flow that is silent since lasts none the less.
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
    private final Map<Integer, Line> lines = new LinkedHashMap<>();

    /// @return bytes that it has grown by
    long take(UsageReport changes, SignedSessionToken with) {
      long grown = with.getSerializedSize() - token.getSerializedSize();
      token = with;
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

    // An agent that signs none is not known after a crash: it will not be asked either.
    IntervalUsage usage(UsageReport report) {
      return new IntervalUsage(report, token, true);
    }

    long bytes() {
      long sum = heading.getSerializedSize() + token.getSerializedSize();
      for (Line line : lines.values()) {
        sum += line.usage.getSerializedSize();
      }
      return sum;
    }
  }

  /// @return whether this is the first that the interval has with this token
  boolean take(UsageReport changes, SignedSessionToken token) {
    Interval interval = intervals.computeIfAbsent(ReportIdentity.of(changes), _ -> new Interval());
    boolean another = !token.equals(interval.token);
    bytes += interval.take(changes, token);
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

  /// About what all of them take on disk.
  long bytes() {
    return bytes;
  }

  /// Each interval as one report, as far as it has come.
  List<IntervalUsage> usages() {
    return intervals.values().stream().map(one -> one.usage(one.report())).toList();
  }

  /// The same for a process that has died: nothing follows the newest interval of a session.
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
