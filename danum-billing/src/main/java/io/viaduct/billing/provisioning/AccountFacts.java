package io.viaduct.billing.provisioning;

import io.viaduct.billing.credit.AccountCredit;
import io.viaduct.billing.credit.CreditRules;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.usage.v1.AccountDescription;
import io.viaduct.usage.v1.CreditState;
import io.viaduct.usage.v1.DescribedReport;
import io.viaduct.usage.v1.TariffInForce;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Describes an account for its user, who asks by SIP: balance, today's spend, state of the credit,
/// tariff, and the latest reports.
final class AccountFacts {
  private static final int REPORTS_MAX = 10;

  /// Most charges that are searched for reports. The index of an account is that of its charges.
  private static final int CHARGES_MAX = 1000;

  private final JdbcClient jdbc;
  private final CreditRules credit;
  private final TariffBook tariffs;
  private final MicroDenarii low;

  /// @param low credit below it is low for a user without a threshold of the own
  AccountFacts(JdbcClient jdbc, CreditRules credit, TariffBook tariffs, MicroDenarii low) {
    this.jdbc = jdbc;
    this.credit = credit;
    this.tariffs = tariffs;
    this.low = low;
  }

  /// Returns the description; one without `known` if there is no such account.
  ///
  /// @param reports how many of the latest reports it has; more than 10 count as 10
  AccountDescription of(String account, int reports, Instant now) {
    return credit
        .find(account, now)
        .map(found -> description(found, now).addAllReports(latest(account, reports)).build())
        .orElseGet(AccountDescription::getDefaultInstance);
  }

  private List<DescribedReport> latest(String account, int reports) {
    int most = Math.clamp(reports, 0, REPORTS_MAX);
    return most == 0
        ? List.of()
        : jdbc.sql(
                """
                select i.started_at, i.ended_at, r.pre_bytes, r.net from
                  (select distinct interval_id from
                    (select interval_id from charge where account = ? order by id desc limit ?) newest
                  order by interval_id desc limit ?) latest
                join charging_interval i on i.id = latest.interval_id
                join current_report r on r.interval_id = i.id
                where i.state <> 'VOID' order by i.id desc
                """)
            .param(account)
            .param(CHARGES_MAX)
            .param(most)
            .query((row, _) ->
                DescribedReport.newBuilder()
                    .setStartMs(row.getTimestamp(1).getTime())
                    .setEndMs(row.getTimestamp(2).getTime())
                    .setBytes(row.getLong(3))
                    .setNetMicrodenarii(row.getLong(4))
                    .build())
            .list();
  }

  private AccountDescription.Builder description(AccountCredit found, Instant now) {
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
    return description;
  }

  private static TariffInForce tariff(TariffVersion version) {
    return TariffInForce.newBuilder()
        .setVersion(version.version())
        .setEffectiveFromMs(version.effectiveFrom().toEpochMilli())
        .build();
  }
}
