package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.snapts.Ownership;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TermsInForce;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Bills validated reports. Finds the reports that were billed before, rates the new ones, and
/// stores interval, report, charges and postings of a whole batch in one database transaction.
///
/// First the rows of the accounts and then those of the sessions are locked, in a fixed order,
/// before any decision. Reports of one session are therefore posted one after the other, even from
/// several senders. In addition, the key of an interval is unique in the database.
public final class ReportPosting {
  private final TransactionTemplate transaction;
  private final JdbcTemplate jdbc;
  private final TariffBook tariffs;
  private final SurchargeBook surcharges;
  private final Ledger ledger;
  private final SettlementRules rules;

  public ReportPosting(
      TransactionTemplate transaction,
      JdbcTemplate jdbc,
      TariffBook tariffs,
      SurchargeBook surcharges,
      Ledger ledger,
      SettlementRules rules) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.tariffs = tariffs;
    this.surcharges = surcharges;
    this.ledger = ledger;
    this.rules = rules;
  }

  /// Posts a batch. Every result is committed when this method returns.
  ///
  /// @return one result for each report, in order
  /// @throws org.springframework.dao.DataAccessException if the database is not available; then
  ///   nothing is posted
  public List<PostResult> post(List<MeasuredInterval> reports, Instant now) {
    return reports.isEmpty() ? List.of() : transaction.execute(_ -> postRounds(reports, now));
  }

  // A round ends before the second report of an identity. A report may come together with a copy
  // that has its receipt; the copy must see the result of the first. Rounds keep the order.
  private List<PostResult> postRounds(List<MeasuredInterval> reports, Instant now) {
    Ownership owners = Ownership.read(JdbcClient.create(jdbc), rules.ownerOf());
    TermsInForce.Known terms =
        TermsInForce.Known.of(
            tariffs,
            surcharges,
            owners.of(reports.stream().map(r -> r.key().snapt()).collect(Collectors.toSet())));
    List<PostResult> results = new ArrayList<>(reports.size());
    while (results.size() < reports.size()) {
      List<MeasuredInterval> round = new ArrayList<>();
      Set<IntervalKey> keys = new HashSet<>();
      for (MeasuredInterval report : reports.subList(results.size(), reports.size())) {
        if (!keys.add(report.key())) {
          break;
        }
        round.add(report);
      }
      results.addAll(new PostingRound(jdbc, ledger, rules, owners, terms, now).post(round));
    }
    return List.copyOf(results);
  }
}
