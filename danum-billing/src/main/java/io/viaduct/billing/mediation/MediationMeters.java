package io.viaduct.billing.mediation;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.viaduct.billing.settlement.HoldReason;
import io.viaduct.billing.settlement.MeasuredInterval;
import io.viaduct.billing.settlement.ReportRefusal;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.usage.v1.ReportVerdict;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/// Counts reports by verdict and reason, and measures their lag and rating time.
final class MediationMeters {
  private final Map<ReportVerdict, Counter> verdicts = new EnumMap<>(ReportVerdict.class);
  private final Map<ReportRefusal, Counter> refusals = new EnumMap<>(ReportRefusal.class);
  private final Map<HoldReason, Counter> holds = new EnumMap<>(HoldReason.class);
  private final Map<MeasuredInterval.Clock, Counter> clocks =
      new EnumMap<>(MeasuredInterval.Clock.class);
  private final Counter skewedFlows;
  private final Timer lag;
  private final Timer posting;

  MediationMeters(MeterRegistry registry) {
    for (ReportVerdict verdict : ReportVerdict.values()) {
      if (verdict != ReportVerdict.UNRECOGNIZED
          && verdict != ReportVerdict.REPORT_VERDICT_UNSPECIFIED) {
        verdicts.put(
            verdict,
            Counter.builder("viaduct.reports")
                .description("Usage reports by verdict")
                .tag("verdict", MetricLabel.of(verdict))
                .register(registry));
      }
    }
    for (ReportRefusal refusal : ReportRefusal.values()) {
      refusals.put(
          refusal,
          Counter.builder("viaduct.reports.refused")
              .description("Usage reports that are never billed, by reason")
              .tag("reason", MetricLabel.of(refusal))
              .register(registry));
    }
    for (HoldReason why : HoldReason.values()) {
      holds.put(
          why,
          Counter.builder("viaduct.reports.held")
              .description("Usage reports that are kept and not posted, by reason")
              .tag("reason", MetricLabel.of(why))
              .register(registry));
    }
    for (MeasuredInterval.Clock clock : MeasuredInterval.Clock.values()) {
      clocks.put(
          clock,
          Counter.builder("viaduct.reports.clock")
              .description("Posted reports by the SNAPT's clock against the bridge's")
              .tag("clock", MetricLabel.of(clock))
              .register(registry));
    }
    skewedFlows =
        Counter.builder("viaduct.flows.skewed")
            .description("Flows whose measured delay was below -5 ms, priced at the reference")
            .register(registry);
    lag =
        Timer.builder("viaduct.report.lag")
            .description("Time from the end of an interval to its posting")
            .serviceLevelObjectives(
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofMinutes(1),
                Duration.ofMinutes(10))
            .register(registry);
    posting =
        Timer.builder("viaduct.rating")
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
    of(verdicts, verdict).increment();
  }

  void held(HoldReason why) {
    of(holds, why).increment();
  }

  void refused(ReportRefusal why) {
    of(refusals, why).increment();
  }

  void posted(MeasuredInterval interval, int skewed, Duration age) {
    of(clocks, interval.clock()).increment();
    skewedFlows.increment(skewed);
    lag.record(age.isNegative() ? Duration.ZERO : age);
  }

  Timer posting() {
    return posting;
  }

  private static <K> Counter of(Map<K, Counter> counters, K key) {
    Counter counter = counters.get(key);
    if (counter == null) {
      throw new IllegalStateException("no counter for " + key);
    }
    return counter;
  }
}
