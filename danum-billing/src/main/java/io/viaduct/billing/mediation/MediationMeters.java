package io.viaduct.billing.mediation;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.viaduct.billing.settlement.HoldReason;
import io.viaduct.billing.settlement.MeasuredInterval;
import io.viaduct.billing.settlement.ReportRefusal;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.usage.v1.ReportVerdict;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;

/// Counts reports by verdict and reason, and measures their lag and rating time.
final class MediationMeters {
  private final LabelledCounters<ReportVerdict> verdicts;
  private final LabelledCounters<ReportRefusal> refusals;
  private final LabelledCounters<HoldReason> holds;
  private final LabelledCounters<MeasuredInterval.Clock> clocks;
  private final LabelledCounters<ServiceClass> beyondQuota;
  private final Counter skewedFlows;
  private final Timer lag;
  private final Timer posting;

  MediationMeters(MeterRegistry registry) {
    verdicts =
        LabelledCounters.register(
            registry,
            "viaduct_reports",
            "Usage reports by verdict",
            "verdict",
            ReportVerdict.class,
            EnumSet.complementOf(
                EnumSet.of(
                    ReportVerdict.QUEUED,
                    ReportVerdict.UNRECOGNIZED,
                    ReportVerdict.REPORT_VERDICT_UNSPECIFIED)));
    refusals =
        LabelledCounters.register(
            registry,
            "viaduct_reports_refused",
            "Usage reports that are never billed, by reason",
            "reason",
            ReportRefusal.class);
    holds =
        LabelledCounters.register(
            registry,
            "viaduct_reports_held",
            "Usage reports that are kept and not posted, by reason",
            "reason",
            HoldReason.class);
    clocks =
        LabelledCounters.register(
            registry,
            "viaduct_reports_clock",
            "Posted reports by the SNAPT's clock against the bridge's",
            "clock",
            MeasuredInterval.Clock.class);
    beyondQuota =
        LabelledCounters.register(
            registry,
            "viaduct_credit_beyond_quota_bytes",
            "Bytes of posted reports that no quota had allowed, by class",
            "class",
            ServiceClass.class);
    skewedFlows =
        Counter.builder("viaduct_flows_skewed")
            .description("Flows whose measured delay was below -5 ms, priced at the reference")
            .register(registry);
    lag =
        Timer.builder("viaduct_report_lag")
            .description("Time from the end of an interval to its posting")
            .serviceLevelObjectives(
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofMinutes(1),
                Duration.ofMinutes(10))
            .register(registry);
    posting =
        Timer.builder("viaduct_rating")
            .description("Rating and posting of one batch of reports, commit included")
            .serviceLevelObjectives(
                Duration.ofMillis(5),
                Duration.ofMillis(10),
                Duration.ofMillis(25),
                Duration.ofMillis(50),
                Duration.ofMillis(100),
                Duration.ofMillis(500),
                Duration.ofSeconds(1),
                Duration.ofSeconds(5))
            .register(registry);
  }

  void verdict(ReportVerdict verdict) {
    verdicts.increment(verdict);
  }

  void held(HoldReason why) {
    holds.increment(why);
  }

  void refused(ReportRefusal why) {
    refusals.increment(why);
  }

  void posted(MeasuredInterval interval, int skewed, Duration age) {
    clocks.increment(interval.clock());
    skewedFlows.increment(skewed);
    lag.record(age.isNegative() ? Duration.ZERO : age);
  }

  void beyondQuota(Map<ServiceClass, Long> bytes) {
    bytes.forEach(beyondQuota::increment);
  }

  Timer posting() {
    return posting;
  }
}
