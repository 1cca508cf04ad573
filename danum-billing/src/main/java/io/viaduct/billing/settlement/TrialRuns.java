package io.viaduct.billing.settlement;

import io.viaduct.billing.database.BackgroundRuns;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.settlement.TariffTrial.Scope;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
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

/// Tries tariffs on past times in the background, however many charges they have, and keeps the
/// results (ADR 0045). All instances of billing together make one run at a time, because it reads
/// many rows.
public final class TrialRuns {
  private static final Logger LOG = LoggerFactory.getLogger(TrialRuns.class);
  private static final JsonMapper JSON = JsonMapper.shared();

  /// Runs that are kept.
  private static final int KEPT = 100;

  private static final int LOCK = 0x7472_6961;

  /// Time between two reports of how far a run is.
  private static final Duration STEP = Duration.ofSeconds(1);

  private static final String SELECT =
      """
      select id, requested_by, name, account, service_class, from_at, to_at, started_at, covered_to, stopped,
        finished_at, failure, result
      from tariff_trial
      """;

  private final JdbcClient jdbc;
  private final BackgroundRuns runs;
  private final TransactionTemplate apart;
  private final Snapshot snapshot;
  private final TariffTrial trial;
  private final InstantSource clock;

  TrialRuns(
      JdbcClient jdbc,
      PlatformTransactionManager transactions,
      Snapshot snapshot,
      TariffTrial trial,
      InstantSource clock) {
    this.jdbc = jdbc;
    this.snapshot = snapshot;
    this.trial = trial;
    this.clock = clock;
    runs = new BackgroundRuns(jdbc, "tariff_trial", LOCK);
    apart = new TransactionTemplate(transactions);
    apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
  }

  /// An operator's order of a run.
  ///
  /// @param name of the tariff, for people
  /// @param from intervals that began at or after it are rated
  /// @param to intervals that began before it are rated
  public record Order(String name, Tariff tariff, Scope scope, Instant from, Instant to) {}

  /// A run.
  ///
  /// @param coveredTo intervals that began before it have been rated
  /// @param isStopped true if an operator has stopped it
  /// @param finishedAt null while it goes on
  /// @param failure why it could not be finished, or empty
  /// @param result null until it is finished; of a part of the time if it was stopped
  public record Run(
      long id,
      String requestedBy,
      String name,
      Scope scope,
      Instant from,
      Instant to,
      Instant startedAt,
      Instant coveredTo,
      boolean isStopped,
      @Nullable Instant finishedAt,
      String failure,
      @Nullable TrialResult result) {}

  /// The result of [#begin].
  public sealed interface Begun {
    /// The run begins now.
    record New(Run run) implements Begun {}

    /// Another run goes on.
    record Busy(Run other) implements Begun {}
  }

  /// Begins a run on a thread of its own.
  public Begun begin(Order order, String requestedBy) {
    Instant now = clock.instant();
    Begun begun =
        apart.execute(_ -> {
          runs.beginAlone(now);
          Optional<Run> running = one("where finished_at is null order by id desc limit 1", null);
          return running.isPresent()
              ? new Begun.Busy(running.get())
              : new Begun.New(insert(order, requestedBy, now));
        });
    if (begun instanceof Begun.New(Run run)) {
      // A platform thread, because rating is work of minutes.
      Thread.ofPlatform().daemon().name("tariff-trial").start(() -> carryOut(run.id(), order));
    }
    return begun;
  }

  private Run insert(Order order, String requestedBy, Instant now) {
    long id =
        jdbc.sql(
                """
                insert into tariff_trial (requested_by, name, account, service_class, from_at, to_at, started_at, covered_to)
                values (?, ?, ?, ?, ?, ?, ?, ?) returning id
                """)
            .param(requestedBy)
            .param(order.name())
            .param(order.scope().account())
            .param(
                order.scope().serviceClass() == null ? null : order.scope().serviceClass().name())
            .param(Timestamp.from(order.from()))
            .param(Timestamp.from(order.to()))
            .param(Timestamp.from(now))
            .param(Timestamp.from(order.from()))
            .query(Long.class)
            .single();
    runs.keepLatest(KEPT);
    return find(id).orElseThrow();
  }

  private void carryOut(long id, Order order) {
    try {
      TrialResult result =
          snapshot.read(() -> {
            runs.hold(id);
            return trial.runWhole(
                order.tariff(), order.scope(), order.from(), order.to(), new Progress(id)::goesOn);
          });
      apart.executeWithoutResult(_ -> {
        covered(id, result.coveredTo());
        runs.finish(id, JSON.writeValueAsString(result), clock.instant());
      });
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("trial {} of a tariff ends, database: {}", id, e.toString());
      runs.fail(id, e, clock.instant());
    }
  }

  /// Says how far a run is, and hears whether it is wanted.
  private final class Progress {
    private final long id;
    private Instant next = Instant.MIN;

    Progress(long id) {
      this.id = id;
    }

    boolean goesOn(Instant coveredTo) {
      Instant now = clock.instant();
      if (now.isBefore(next)) {
        return true;
      }
      next = now.plus(STEP);
      return Boolean.TRUE.equals(apart.execute(_ -> covered(id, coveredTo)));
    }
  }

  // Returns false if an operator has stopped the run.
  private boolean covered(long id, Instant to) {
    return jdbc.sql("update tariff_trial set covered_to = ? where id = ? returning not stopped")
        .param(Timestamp.from(to))
        .param(id)
        .query(Boolean.class)
        .optional()
        .orElse(false);
  }

  /// Stops a run within seconds. It keeps the result for the time that it has rated. A run that has
  /// ended stays as it is.
  ///
  /// @return empty if there is no such run
  public Optional<Run> stop(long id) {
    jdbc.sql("update tariff_trial set stopped = true where id = ? and finished_at is null")
        .param(id)
        .update();
    return find(id);
  }

  public Optional<Run> find(long id) {
    return one("where id = ?", id);
  }

  private Optional<Run> one(String where, @Nullable Long id) {
    JdbcClient.StatementSpec query = jdbc.sql(SELECT + where);
    return (id == null ? query : query.param(id)).query((row, _) -> run(row)).optional();
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
    String serviceClass = row.getString("service_class");
    Timestamp finished = row.getTimestamp("finished_at");
    String result = row.getString("result");
    return new Run(
        row.getLong("id"),
        row.getString("requested_by"),
        row.getString("name"),
        new Scope(
            row.getString("account"),
            serviceClass == null ? null : ServiceClass.valueOf(serviceClass)),
        row.getTimestamp("from_at").toInstant(),
        row.getTimestamp("to_at").toInstant(),
        row.getTimestamp("started_at").toInstant(),
        row.getTimestamp("covered_to").toInstant(),
        row.getBoolean("stopped"),
        finished == null ? null : finished.toInstant(),
        row.getString("failure"),
        result == null ? null : JSON.readValue(result, TrialResult.class));
  }
}
