package io.viaduct.billing.settlement;

import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/// The tariff whose caps count for an account at a time that is over: that of the latest re-rating
/// of all classes, else the one that was in force.
final class ReratedTariffs {
  private record Correction(Instant from, Instant to, int tariffVersion) {}

  private final List<TariffVersion> versions;
  private final List<Correction> corrections; // latest first

  private ReratedTariffs(List<TariffVersion> versions, List<Correction> corrections) {
    this.versions = versions;
    this.corrections = corrections;
  }

  static ReratedTariffs of(JdbcClient jdbc, String account, List<TariffVersion> versions) {
    return new ReratedTariffs(
        versions,
        jdbc.sql(
                """
                select from_at, to_at, tariff_version from rerating
                where (account is null or account = ?) and service_class is null order by number desc
                """)
            .param(account)
            .query((row, _) ->
                new Correction(
                    row.getTimestamp(1).toInstant(),
                    row.getTimestamp(2).toInstant(),
                    row.getInt(3)))
            .list());
  }

  TariffVersion at(Instant time) {
    return corrections.stream()
        .filter(each -> !time.isBefore(each.from()) && time.isBefore(each.to()))
        .findFirst()
        .map(each -> versions.get(each.tariffVersion() - 1))
        .orElseGet(() -> TariffBook.inForce(versions, time));
  }
}
