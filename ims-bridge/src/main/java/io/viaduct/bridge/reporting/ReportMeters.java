package io.viaduct.bridge.reporting;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.usage.v1.ReportVerdict;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts reports by verdict, refusals of the bridge by reason and by SNAPT, submissions that
/// billing did not answer. The SNAPTs are those of the configuration, so that their number is
/// bounded.
public final class ReportMeters {
  private final Map<ReportVerdict, Counter> verdicts = new EnumMap<>(ReportVerdict.class);
  private final Map<ReportRefusal, Counter> refusals = new EnumMap<>(ReportRefusal.class);
  private final Map<String, Map<ReportRefusal, LongAdder>> refusalsBySnapt = new HashMap<>();
  private final Map<String, Counter> refusedOfSnapt = new HashMap<>();
  private final Counter received;
  private final Counter failures;
  private final Counter overflow;

  public ReportMeters(MeterRegistry registry, Collection<String> snapts) {
    for (String snapt : snapts) {
      refusalsBySnapt.put(snapt, new ConcurrentHashMap<>());
      refusedOfSnapt.put(
          snapt, registry.counter("viaduct.bridge.snapt.reports.refused", "snapt", snapt));
    }
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

  /// Counts a refusal of which it is not known whose report it was.
  public void refused(ReportRefusal reason) {
    of(refusals, reason).increment();
  }

  void refused(String snapt, ReportRefusal reason) {
    refused(reason);
    of(refusedOfSnapt, snapt).increment();
    ofSnapt(snapt).computeIfAbsent(reason, _ -> new LongAdder()).increment();
  }

  /// Returns the refusals of a SNAPT's reports since the start, by reason; those that are 0 are
  /// left out.
  public SortedMap<String, Long> refusalsOf(String snapt) {
    SortedMap<String, Long> refused = new TreeMap<>();
    ofSnapt(snapt).forEach((reason, count) -> refused.put(reason.name(), count.sum()));
    return refused;
  }

  private Map<ReportRefusal, LongAdder> ofSnapt(String snapt) {
    return refusalsBySnapt.getOrDefault(snapt, Map.of());
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
