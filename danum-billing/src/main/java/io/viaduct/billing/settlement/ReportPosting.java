package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/// Bills validated reports: finds what was billed before, rates what is new, and stores interval,
/// report, charges and postings of a whole batch in one database transaction.
///
/// The rows of the accounts and then of the sessions are locked in one order before anything is
/// decided, so that reports of one session are posted one after the other, whoever submits them;
/// the unique key of the interval stands behind that.
public final class ReportPosting {
  private final TransactionTemplate transaction;
  private final JdbcTemplate jdbc;
  private final TariffBook tariffs;
  private final Ledger ledger;
  private final SettlementRules rules;

  public ReportPosting(
      TransactionTemplate transaction,
      JdbcTemplate jdbc,
      TariffBook tariffs,
      Ledger ledger,
      SettlementRules rules) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.tariffs = tariffs;
    this.ledger = ledger;
    this.rules = rules;
  }

  /// Posts a batch; when this returns, every result is committed.
  ///
  /// @return one result for each report, in order
  /// @throws org.springframework.dao.DataAccessException if the database is away; nothing is posted
  public List<PostResult> post(List<MeasuredInterval> reports, Instant now) {
    return reports.isEmpty() ? List.of() : transaction.execute(_ -> postRounds(reports, now));
  }

  // The first report of each identity, then the second ones: a report and the same with its receipt
  // may come together, and the second one must see what the first one did.
  private List<PostResult> postRounds(List<MeasuredInterval> reports, Instant now) {
    List<TariffVersion> versions = tariffs.versions();
    List<@Nullable PostResult> results = new ArrayList<>();
    reports.forEach(_ -> results.add(null));
    List<Integer> open = new ArrayList<>();
    for (int i = 0; i < reports.size(); i++) {
      open.add(i);
    }
    while (!open.isEmpty()) {
      List<Integer> round = new ArrayList<>();
      List<Integer> later = new ArrayList<>();
      Set<IntervalKey> keys = new HashSet<>();
      open.forEach(i -> (keys.add(reports.get(i).key()) ? round : later).add(i));
      List<PostResult> ofRound =
          new PostingRound(jdbc, ledger, rules, versions, now)
              .post(round.stream().map(reports::get).toList());
      for (int i = 0; i < round.size(); i++) {
        results.set(round.get(i), ofRound.get(i));
      }
      open = later;
    }
    return List.copyOf(results);
  }
}
