package io.viaduct.billing.ledger;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.InstantSource;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Exposes the ledger's invariants and balances as metrics. The settlement thread writes the
/// values; any thread reads them.
public final class LedgerMeters {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerMeters.class);

  private final LedgerVerification verification;
  private final InstantSource clock;
  private volatile double imbalance;
  private volatile double belowZero;
  // NaN until the first verification. 0 would mean that all invariants hold, or the year 1970.
  private volatile double broken = Double.NaN;
  private volatile double verifiedAt = Double.NaN;

  public LedgerMeters(
      LedgerVerification verification, InstantSource clock, MeterRegistry registry) {
    this.verification = verification;
    this.clock = clock;
    gauge(
        registry,
        "viaduct_ledger_imbalance_microdenarii",
        "Sum over all postings; anything but 0 is an alarm",
        () -> imbalance);
    gauge(
        registry,
        "viaduct_accounts_below_zero",
        "Accounts of users whose balance is below zero",
        () -> belowZero);
    gauge(
        registry,
        "viaduct_ledger_invariants_broken",
        "Invariants of the ledger that the last verification found broken; 0 is well",
        () -> broken);
    gauge(
        registry,
        "viaduct_ledger_verification_timestamp_seconds",
        "Unix time of the last verification of the ledger",
        () -> verifiedAt);
  }

  /// Recomputes the imbalance and the accounts below zero.
  public void refresh() {
    imbalance = verification.imbalance().doubleValue();
    belowZero = verification.usersBelowZero();
  }

  /// Recomputes every invariant. Logs an error for each broken one.
  ///
  /// @param progress told after each invariant how many are done
  List<LedgerVerification.Check> verify(IntConsumer progress) {
    refresh();
    long found = 0;
    List<LedgerVerification.Check> checks = verification.run(progress);
    for (LedgerVerification.Check check : checks) {
      if (!check.holds()) {
        found++;
        LOG.error(
            "the ledger invariant '{}' is broken {} times, for example: {}",
            check.name(),
            check.violations(),
            check.example());
      }
    }
    broken = found;
    verifiedAt = clock.millis() / 1000.0;
    return checks;
  }

  private static void gauge(
      MeterRegistry registry, String name, String description, Supplier<Number> value) {
    Gauge.builder(name, value).description(description).register(registry);
  }
}
