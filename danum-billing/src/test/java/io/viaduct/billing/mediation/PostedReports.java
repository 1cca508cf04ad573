package io.viaduct.billing.mediation;

import io.viaduct.billing.tariff.Tariff;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/// Posts reports under tariffs that are in force far ahead, so that no other test uses them.
public final class PostedReports {
  private PostedReports() {}

  /// Posts a report of one minute.
  ///
  /// @return the ids of its charges
  public static List<Long> post(String account, Tariff tariff, List<FlowUsage> flows) {
    String tag = UUID.randomUUID().toString().substring(0, 8);
    MediationRig rig = new MediationRig("owner-" + tag);
    rig.clock.advance(Duration.ofDays(365L * 40));
    rig.tariffs.add(tariff, rig.clock.instant(), "operator", rig.clock.instant());
    rig.clock.advance(Duration.ofMinutes(1));
    return post(rig, tag, account, flows);
  }

  /// Posts one report of flows as it was a month ago, under the first tariff of the database.
  ///
  /// @return the ids of its charges
  public static List<Long> postEarlier(String account, List<FlowUsage> flows) {
    String tag = UUID.randomUUID().toString().substring(0, 8);
    MediationRig rig = new MediationRig("owner-" + tag);
    rig.clock.advance(Duration.ofDays(-30));
    return post(rig, tag, account, flows);
  }

  /// Posts reports under a tariff with caps, and gives back what is above them when their day has
  /// ended.
  ///
  /// @param flows of one interval, in the first hour of a day (UTC)
  public static void aboveCaps(String account, Tariff tariff, List<FlowUsage> flows) {
    String tag = UUID.randomUUID().toString().substring(0, 8);
    MediationRig rig = new MediationRig("owner-" + tag);
    rig.clock.advance(Duration.ofDays(365L * 40));
    rig.tariffs.add(tariff, rig.clock.instant(), "operator", rig.clock.instant());
    Instant day = rig.clock.instant().truncatedTo(ChronoUnit.DAYS).plus(Duration.ofDays(1));
    rig.clock.advance(Duration.between(rig.clock.instant(), day.plus(Duration.ofMinutes(30))));
    post(rig, tag, account, flows);
    rig.clock.advance(MediationRig.ADJUSTMENT.plus(Duration.ofDays(2)));
    rig.settlement.settleDue(rig.clock.instant());
    rig.caps.creditDue(rig.clock.instant());
  }

  /// Posts one report of the present minute.
  ///
  /// @return the ids of its charges
  public static List<Long> postNow(String account, List<FlowUsage> flows) {
    String tag = UUID.randomUUID().toString().substring(0, 8);
    return post(new MediationRig("owner-" + tag), tag, account, flows);
  }

  private static List<Long> post(
      MediationRig rig, String tag, String account, List<FlowUsage> flows) {
    ReportVerdict verdict =
        rig.verdict(
            Reports.report("snapt-" + tag, "s-" + tag, 1, 0, account, rig.clock.instant(), flows)
                .build());
    if (verdict != ReportVerdict.POSTED) {
      throw new AssertionError(verdict);
    }
    return rig.jdbc.queryForList(
        "select c.id from charge c join charging_interval i on i.id = c.interval_id"
            + " where i.snapt_id = ? order by c.id",
        Long.class,
        "snapt-" + tag);
  }

  /// Stores a device's report of the present minute, which no SNAPT has reported.
  public static void byDeviceAlone(String account) {
    byDevice(new MediationRig("owner-" + account), account, 0);
  }

  /// Posts a SNAPT's report of the present minute, and one of the device that has counted more.
  public static void byBothEnds(String account, long moreBytes) {
    MediationRig rig = new MediationRig("owner-" + account);
    rig.submit(byDevice(rig, account, moreBytes));
  }

  private static UsageReport byDevice(MediationRig rig, String account, long moreBytes) {
    UsageReport report =
        Reports.report(
                "snapt-" + account,
                "s-" + account,
                1,
                0,
                account,
                rig.clock.instant(),
                Reports.workedExample())
            .build();
    ReportVerdict verdict = rig.submit(Reports.ofDevice(report, moreBytes));
    if (verdict != ReportVerdict.PROVISIONAL) {
      throw new AssertionError(verdict);
    }
    return report;
  }
}
