package io.viaduct.billing.rest;

import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.settlement.TariffTrial;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/// Reads which bills an operator wants to have rated again, and under which tariff.
final class BillSelection {
  private final Accounts accounts;
  private final TariffBook tariffs;

  BillSelection(Accounts accounts, TariffBook tariffs) {
    this.accounts = accounts;
    this.tariffs = tariffs;
  }

  /// @throws ProblemException if there is no such version
  Tariff tariff(int version) {
    return tariffs.versions().stream()
        .filter(each -> each.version() == version)
        .findFirst()
        .orElseThrow(() -> ProblemException.invalid("there is no tariff version " + version))
        .tariff();
  }

  /// @param account null or empty for all accounts
  /// @param serviceClass null or empty for all classes
  /// @throws ProblemException if there is no such account or class
  TariffTrial.Scope scope(@Nullable String account, @Nullable String serviceClass) {
    return new TariffTrial.Scope(account(account), serviceClass(serviceClass));
  }

  private @Nullable String account(@Nullable String id) {
    if (id == null || id.isEmpty()) {
      return null;
    }
    if (accounts.find(id).isEmpty()) {
      throw ProblemException.notFound();
    }
    return id;
  }

  private static @Nullable ServiceClass serviceClass(@Nullable String name) {
    return ChargeFilter.choice(
        "serviceClass", name == null ? "" : name, ServiceClass.values(), ServiceClass::name);
  }

  /// The time of a trial.
  ///
  /// @param from start, included
  /// @param to end, excluded
  record Span(Instant from, Instant to) {
    Span {
      if (!from.isBefore(to) || Duration.between(from, to).compareTo(TariffTrial.SPAN_MAX) > 0) {
        throw ProblemException.invalid(
            "from must be before to, by at most %d days: got %s and %s"
                .formatted(TariffTrial.SPAN_MAX.toDays(), from, to));
      }
    }

    /// @param from null for yesterday's start (UTC)
    /// @param to null for a day behind it
    static Span of(@Nullable Instant from, @Nullable Instant to, Instant now) {
      Instant start =
          from == null ? now.truncatedTo(ChronoUnit.DAYS).minus(Duration.ofDays(1)) : from;
      return new Span(start, to == null ? start.plus(Duration.ofDays(1)) : to);
    }
  }
}
