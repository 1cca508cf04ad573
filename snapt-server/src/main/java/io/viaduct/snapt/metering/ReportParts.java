package io.viaduct.snapt.metering;

import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.UsageReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The report of an interval in which very many flows carried something, cut into several that each
/// find room in a message: same interval, following sequences, lines in the order of their numbers.
/// The cut depends on nothing but the lines, so that a start after a crash repeats it.
///
/// The overhead is the first part's; only the final one can be the session's last report.
public final class ReportParts {
  /// A line takes 230 bytes at most, so a report stays below the MiB that a bridge takes.
  public static final int LINES_MAX = 4_000;

  private ReportParts() {}

  /// How many sequences a report takes.
  public static int count(UsageReport report) {
    return Math.max(1, Math.ceilDiv(report.getFlowsCount(), LINES_MAX));
  }

  /// The report itself if it is short enough.
  public static List<UsageReport> of(UsageReport report) {
    int parts = count(report);
    if (parts == 1) {
      return List.of(report);
    }
    List<FlowUsage> lines =
        report.getFlowsList().stream().sorted(Comparator.comparing(FlowUsage::getFlow)).toList();
    List<UsageReport> cut = new ArrayList<>(parts);
    for (int part = 0; part < parts; part++) {
      int from = part * LINES_MAX;
      UsageReport.Builder one =
          report.toBuilder()
              .clearFlows()
              .setSequence(report.getSequence() + part)
              .addAllFlows(lines.subList(from, Math.min(lines.size(), from + LINES_MAX)))
              .setLast(report.getLast() && part == parts - 1);
      cut.add(sum(part == 0 ? one : one.clearOverheadBytes()));
    }
    return cut;
  }

  /// Sets the sums over the lines, which a receiver checks.
  public static UsageReport sum(UsageReport.Builder report) {
    long pre = 0;
    long post = 0;
    for (FlowUsage flow : report.getFlowsList()) {
      pre += flow.getUp().getPreBytes() + flow.getDown().getPreBytes();
      post += flow.getUp().getPostBytes() + flow.getDown().getPostBytes();
    }
    return report.setPreBytes(pre).setPostBytes(post).build();
  }
}
