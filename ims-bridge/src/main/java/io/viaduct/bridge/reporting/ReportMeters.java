package io.viaduct.bridge.reporting;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.usage.v1.ReportVerdict;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/// Counts reports by verdict, refusals of the bridge by reason, submissions that billing did not
/// answer.
public final class ReportMeters {
  private final Map<ReportVerdict, Counter> verdicts = new EnumMap<>(ReportVerdict.class);
  private final Map<ReportRefusal, Counter> refusals = new EnumMap<>(ReportRefusal.class);
  private final Counter received;
  private final Counter failures;
  private final Counter overflow;

  public ReportMeters(MeterRegistry registry) {
    for (ReportVerdict verdict : ReportVerdict.values()) {
      verdicts.put(
          verdict,
          registry.counter("viaduct.bridge.reports.acknowledged", "verdict", label(verdict)));
    }
    for (ReportRefusal reason : ReportRefusal.values()) {
      refusals.put(
          reason, registry.counter("viaduct.bridge.reports.refused", "reason", label(reason)));
    }
    received = registry.counter("viaduct.bridge.reports.received");
    failures = registry.counter("viaduct.bridge.billing.failures");
    overflow = registry.counter("viaduct.bridge.reports.overflow");
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  void received() {
    received.increment();
  }

  void billingFailed() {
    failures.increment();
  }

  void overflow() {
    overflow.increment();
  }

  public void refused(ReportRefusal reason) {
    of(refusals, reason).increment();
  }

  void acknowledged(ReportVerdict verdict) {
    of(verdicts, verdict).increment();
  }

  private static <K> Counter of(Map<K, Counter> counters, K key) {
    Counter counter = counters.get(key);
    if (counter == null) {
      throw new IllegalStateException("no counter for " + key);
    }
    return counter;
  }
}
