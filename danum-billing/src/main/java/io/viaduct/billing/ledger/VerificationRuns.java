package io.viaduct.billing.ledger;

import io.viaduct.billing.database.BackgroundRuns;
import io.viaduct.billing.database.Snapshot;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/// Verifies the ledger in the background, and keeps the results. Operators share one run at a time;
/// the runs that each instance of billing makes by itself wait for nobody.
public final class VerificationRuns {
  private static final Logger LOG = LoggerFactory.getLogger(VerificationRuns.class);
  private static final JsonMapper JSON = JsonMapper.shared();

  /// Runs that are kept.
  private static final int KEPT = 100;

  private static final int LOCK = 0x7665_7266;

  private static final String SELECT =
      "select id, requested_by, started_at, done, total, finished_at, failure, result from verification_run ";

  private final JdbcClient jdbc;
  private final BackgroundRuns runs;
  private final TransactionTemplate apart;
  private final Snapshot snapshot;
  private final LedgerVerification verification;
  private final LedgerMeters meters;
  private final InstantSource clock;

  VerificationRuns(
      JdbcClient jdbc,
      PlatformTransactionManager transactions,
      Snapshot snapshot,
      LedgerVerification verification,
      LedgerMeters meters,
      InstantSource clock) {
    this.jdbc = jdbc;
    runs = new BackgroundRuns(jdbc, "verification_run", LOCK);
    this.verification = verification;
    this.meters = meters;
    this.clock = clock;
    apart = new TransactionTemplate(transactions);
    apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    this.snapshot = snapshot;
  }

  /// The sum of some accounts of the ledger.
  ///
  /// @param name USER and PROVIDER for all of them, else one account
  public record Sum(String name, long accounts, BigDecimal microdenarii) {}

  /// Findings of a run.
  ///
  /// @param transactions transactions in the ledger
  public record Result(
      long transactions, long postings, List<Sum> sums, List<LedgerVerification.Check> checks) {}

  /// A run.
  ///
  /// @param requestedBy operator who asked for it; null if billing made it by itself
  /// @param done invariants that are checked already
  /// @param finishedAt null while it runs
  /// @param failure why it could not be finished, or empty
  /// @param result null until it is finished
  public record Run(
      long id,
      @Nullable String requestedBy,
      Instant startedAt,
      int done,
      int total,
      @Nullable Instant finishedAt,
      String failure,
      @Nullable Result result) {}

  /// Begins a run on a thread of its own.
  ///
  /// @return the run, or the one that is running already
  public Run begin(String requestedBy) {
    Begun begun = insert(requestedBy);
    if (begun.isNew) {
      Thread.ofVirtual().name("ledger-verification").start(() -> carryOut(begun.run.id()));
    }
    return begun.run;
  }

  /// Makes a run now. One that an operator has begun, or that was cut off, does not hold it up.
  public void runByItself() {
    carryOut(insert(null).run.id());
  }

  private record Begun(Run run, boolean isNew) {}

  private Begun insert(@Nullable String requestedBy) {
    Instant now = clock.instant();
    return apart.execute(_ -> {
      runs.beginAlone(now);
      Optional<Run> running = requestedBy == null ? Optional.empty() : running();
      if (running.isPresent()) {
        return new Begun(running.get(), false);
      }
      jdbc.sql("insert into verification_run (requested_by, started_at, total) values (?, ?, ?)")
          .param(requestedBy)
          .param(Timestamp.from(now))
          .param(verification.size())
          .update();
      runs.keepLatest(KEPT);
      return new Begun(latest(Long.MAX_VALUE, 1).getFirst(), true);
    });
  }

  private Optional<Run> running() {
    return jdbc.sql(SELECT + "where finished_at is null order by id desc limit 1")
        .query((row, _) -> run(row))
        .optional();
  }

  private void carryOut(long id) {
    try {
      String result = JSON.writeValueAsString(snapshot.read(() -> verified(id)));
      runs.finish(id, result, clock.instant());
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("the ledger cannot be verified now, database: {}", e.toString());
      runs.fail(id, e, clock.instant());
    }
  }

  private Result verified(long id) {
    runs.hold(id);
    List<LedgerVerification.Check> checks =
        meters.verify(done -> apart.executeWithoutResult(_ -> progress(id, done)));
    return new Result(count("ledger_transaction"), count("posting"), sums(), checks);
  }

  private void progress(long id, int done) {
    jdbc.sql("update verification_run set done = ? where id = ?").param(done).param(id).update();
  }

  private long count(String table) {
    return jdbc.sql("select count(*) from " + table).query(Long.class).single();
  }

  private List<Sum> sums() {
    return jdbc.sql(
            """
            select case when a.kind in ('USER', 'PROVIDER') then a.kind else a.name end, count(distinct a.name),
              coalesce(sum(p.amount_microdenarii), 0)
            from ledger_account a left join posting p on p.account = a.name group by 1 order by 1
            """)
        .query((row, _) -> new Sum(row.getString(1), row.getLong(2), row.getBigDecimal(3)))
        .list();
  }

  /// Returns the latest run that has ended.
  public Optional<Run> latestFinished() {
    return jdbc.sql(SELECT + "where finished_at is not null order by id desc limit 1")
        .query((row, _) -> run(row))
        .optional();
  }

  /// Returns runs, the latest first.
  ///
  /// @param before only runs with a lower id
  public List<Run> latest(long before, int limit) {
    return jdbc.sql(SELECT + "where id < ? order by id desc limit ?")
        .param(before)
        .param(limit)
        .query((row, _) -> run(row))
        .list();
  }

  private static Run run(ResultSet row) throws SQLException {
    Timestamp finished = row.getTimestamp(6);
    String result = row.getString(8);
    return new Run(
        row.getLong(1),
        row.getString(2),
        row.getTimestamp(3).toInstant(),
        row.getInt(4),
        row.getInt(5),
        finished == null ? null : finished.toInstant(),
        row.getString(7),
        result == null ? null : JSON.readValue(result, Result.class));
  }
}
