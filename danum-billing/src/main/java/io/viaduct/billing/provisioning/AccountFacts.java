package io.viaduct.billing.provisioning;

import io.viaduct.billing.credit.AccountCredit;
import io.viaduct.billing.credit.CreditRules;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.usage.v1.AccountDescription;
import io.viaduct.usage.v1.CreditState;
import io.viaduct.usage.v1.TariffInForce;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/// Describes an account for its user, who asks by SIP: balance, today's spend, state of the credit,
/// and tariff.
final class AccountFacts {
  private final CreditRules credit;
  private final TariffBook tariffs;
  private final MicroDenarii low;

  /// @param low credit below it is low for a user without a threshold of the own
  AccountFacts(CreditRules credit, TariffBook tariffs, MicroDenarii low) {
    this.credit = credit;
    this.tariffs = tariffs;
    this.low = low;
  }

  /// Returns the description; one without `known` if there is no such account.
  AccountDescription of(String account, Instant now) {
    return credit
        .find(account, now)
        .map(found -> description(found, now))
        .orElseGet(AccountDescription::getDefaultInstance);
  }

  private AccountDescription description(AccountCredit found, Instant now) {
    MicroDenarii threshold = found.low() == null ? low : found.low();
    List<TariffVersion> versions = tariffs.versions();
    AccountDescription.Builder description =
        AccountDescription.newBuilder()
            .setKnown(true)
            .setBalanceMicrodenarii(found.balance().value())
            .setAvailableMicrodenarii(found.available().value())
            .setSpentTodayMicrodenarii(found.spentToday().value())
            .setCredit(CreditState.valueOf(found.state().name()))
            .setThresholdMicrodenarii(threshold.value())
            .setTariff(tariff(TariffBook.inForce(versions, now)));
    versions.stream()
        .filter(version -> version.effectiveFrom().isAfter(now))
        .min(
            Comparator.comparing(TariffVersion::effectiveFrom)
                .thenComparing(Comparator.comparing(TariffVersion::version).reversed()))
        .ifPresent(next -> description.setNext(tariff(next)));
    return description.build();
  }

  private static TariffInForce tariff(TariffVersion version) {
    return TariffInForce.newBuilder()
        .setVersion(version.version())
        .setEffectiveFromMs(version.effectiveFrom().toEpochMilli())
        .build();
  }
}
