package io.viaduct.snapt.metering;

import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.RelayedBytes;
import io.viaduct.usage.v1.UsageReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// Splits the report of an interval with very many flows into several reports that each fit into a
/// message. The parts have the same interval and consecutive sequence numbers, and their lines are
/// in the order of the line numbers. The split depends only on the lines, so a restart after a
/// crash repeats it exactly.
///
/// The first part contains the overhead. Each part names the relays, with its share of their bytes.
/// Only the final part can be the session's last report.
public final class ReportParts {
  /// Most lines of one report. A line has at most 230 bytes, so a report stays below the bridge's
  /// limit of 1 MiB.
  public static final int LINES_MAX = 4_000;

  private ReportParts() {}

  /// Returns the number of parts of a report; each part uses one sequence number.
  public static int count(UsageReport report) {
    return Math.max(1, Math.ceilDiv(report.getFlowsCount(), LINES_MAX));
  }

  /// Splits a report. A short report is returned unchanged, as the only part.
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
      UsageReport cutOff = sum(part == 0 ? one : one.clearOverheadBytes());
      cut.add(cutOff.toBuilder().clearRelays().addAllRelays(shares(report, cutOff)).build());
    }
    return cut;
  }

  // By the wire bytes of the part: billing pays relays for a part of the charge of each report.
  private static List<RelayedBytes> shares(UsageReport whole, UsageReport part) {
    double share = wireBytes(part) / (double) Math.max(1, wireBytes(whole));
    return whole.getRelaysList().stream()
        .map(each -> each.toBuilder().setBytes((long) (each.getBytes() * share)).build())
        .filter(each -> each.getBytes() > 0)
        .toList();
  }

  private static long wireBytes(UsageReport report) {
    return report.getPostBytes() + report.getOverheadBytes();
  }

  /// Sets the sums over the lines, which the bridge and billing check.
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
