package io.viaduct.billing.database;

import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// The rows of one kind of run that goes on in the background. Their table has `id`, `started_at`,
/// `finished_at`, `failure` and `result`. A run holds a lock until it ends; PostgreSQL releases it
/// when the process dies, so the lock says whether the run goes on.
///
/// @param table its name
/// @param lock first key of its advisory locks; the second one is the id of a run, and 0 for the
///   beginning of one
public record BackgroundRuns(JdbcClient jdbc, String table, int lock) {
  private static final int FAILURE_LENGTH_MAX = 200;

  /// A run takes its lock within this time.
  private static final Duration STARTS_WITHIN = Duration.ofSeconds(10);

  private static final String CUT_OFF = "cut off: the process that made it has ended";

  /// Lets nobody else begin a run until the caller's transaction ends, and ends the runs that
  /// nobody carries out any more.
  public void beginAlone(Instant now) {
    jdbc.sql("select pg_advisory_xact_lock(?, 0)").param(lock).query(_ -> {});
    jdbc.sql(
            """
            update %s set finished_at = :now, failure = :failure
            where finished_at is null and started_at < :started
              and pg_try_advisory_xact_lock(:lock, (id %% 2147483648)::int)
            """
                .formatted(table))
        .param("now", Timestamp.from(now))
        .param("failure", CUT_OFF)
        .param("started", Timestamp.from(now.minus(STARTS_WITHIN)))
        .param("lock", lock)
        .update();
  }

  /// Deletes all runs but the latest ones.
  public void keepLatest(int kept) {
    jdbc.sql("delete from %1$s where id <= (select max(id) from %1$s) - ?".formatted(table))
        .param(kept)
        .update();
  }

  /// Marks a run as going on until the caller's transaction ends.
  public void hold(long id) {
    jdbc.sql("select pg_advisory_xact_lock(?, (? % 2147483648)::int)")
        .param(lock)
        .param(id)
        .query(_ -> {});
  }

  /// Ends a run with its result, in JSON.
  public void finish(long id, String result, Instant now) {
    finish(id, "", result, now);
  }

  /// Ends a run that failed.
  public void fail(long id, Exception reason, Instant now) {
    String words = String.valueOf(reason.getMessage());
    finish(id, words.substring(0, Math.min(words.length(), FAILURE_LENGTH_MAX)), null, now);
  }

  private void finish(long id, String failure, @Nullable String result, Instant now) {
    jdbc.sql(
            "update %s set finished_at = ?, failure = ?, result = ?::json where id = ?"
                .formatted(table))
        .param(Timestamp.from(now))
        .param(failure)
        .param(result)
        .param(id)
        .update();
  }
}
