package io.viaduct.bridge.reporting;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.usage.v1.ReportVerdict;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts reports by verdict, the bridge's refusals by reason and by SNAPT, and submissions that
/// billing did not answer. Only configured SNAPTs are counted, so their number is bounded.
public final class ReportMeters {
  private final Map<ReportVerdict, Counter> verdicts = new EnumMap<>(ReportVerdict.class);
  private final Map<ReportRefusal, Counter> refusals = new EnumMap<>(ReportRefusal.class);
  private final Map<String, Map<ReportRefusal, LongAdder>> refusalsBySnapt =
      new ConcurrentHashMap<>();
  private final Map<String, Counter> refusedOfSnapt = new ConcurrentHashMap<>();
  private final MeterRegistry registry;
  private final Counter received;
  private final Counter failures;
  private final Counter overflow;

  public ReportMeters(MeterRegistry registry, Collection<String> snapts) {
    this.registry = registry;
    for (String snapt : snapts) {
      count(snapt);
    }
    for (ReportVerdict verdict : ReportVerdict.values()) {
      verdicts.put(
          verdict,
          Counter.builder("viaduct_bridge_reports_acknowledged")
              .description("Answers to SNAPTs: the verdict of billing, or deferred")
              .tag("verdict", MetricLabel.of(verdict))
              .register(registry));
    }
    for (ReportRefusal reason : ReportRefusal.values()) {
      refusals.put(
          reason,
          Counter.builder("viaduct_bridge_reports_refused")
              .description("Usage reports that the bridge refused and that are never billed")
              .tag("reason", MetricLabel.of(reason))
              .register(registry));
    }
    received = counter(registry, "viaduct_bridge_reports_received", "Usage reports received");
    failures =
        counter(
            registry,
            "viaduct_bridge_billing_failures",
            "Batches of reports that billing did not answer");
    overflow =
        counter(
            registry,
            "viaduct_bridge_reports_overflow",
            "Reports deferred at once because too many wait for billing");
  }

  /// Starts to count the reports of a SNAPT; does nothing if they are counted already.
  public void count(String snapt) {
    refusalsBySnapt.putIfAbsent(snapt, new ConcurrentHashMap<>());
    refusedOfSnapt.computeIfAbsent(
        snapt,
        _ ->
            Counter.builder("viaduct_bridge_snapt_reports_refused")
                .description("Usage reports of a SNAPT that the bridge refused")
                .tag("snapt", snapt)
                .register(registry));
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  public void received() {
    received.increment();
  }

  void billingFailed() {
    failures.increment();
  }

  void overflow() {
    overflow.increment();
  }

  /// Counts the refusal of a report whose SNAPT is not known.
  public void refused(ReportRefusal reason) {
    of(refusals, reason).increment();
  }

  public void refused(String snapt, ReportRefusal reason) {
    refused(reason);
    of(refusedOfSnapt, snapt).increment();
    ofSnapt(snapt).computeIfAbsent(reason, _ -> new LongAdder()).increment();
  }

  /// Returns the refusals of a SNAPT's reports since the start, by reason. Reasons without a
  /// refusal are left out.
  public SortedMap<String, Long> refusalsOf(String snapt) {
    SortedMap<String, Long> refused = new TreeMap<>();
    ofSnapt(snapt).forEach((reason, count) -> refused.put(reason.name(), count.sum()));
    return refused;
  }

  private Map<ReportRefusal, LongAdder> ofSnapt(String snapt) {
    return refusalsBySnapt.getOrDefault(snapt, Map.of());
  }

  public void acknowledged(ReportVerdict verdict) {
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
