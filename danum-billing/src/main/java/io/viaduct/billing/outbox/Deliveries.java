package io.viaduct.billing.outbox;

import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// The outbox of webhooks and its log. Several billing instances may deliver at the same time: each
/// claims its deliveries in the database.
public final class Deliveries {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);
  private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

  /// Most deliveries of an endpoint that are claimed at once.
  private static final int CLAIMED_MAX = 64;

  private static final int FORGOTTEN_AT_ONCE = 1000;
  static final int ERROR_LENGTH_MAX = 256;

  private final JdbcClient jdbc;
  private final TransactionTemplate transaction;

  public Deliveries(JdbcClient jdbc, TransactionTemplate transaction) {
    this.jdbc = jdbc;
    this.transaction = transaction;
  }

  /// The state of a delivery.
  public enum State {
    /// It will be tried, for the first time or again.
    DUE,
    DELIVERED,
    /// It was given up. Somebody may have it sent again.
    DEAD
  }

  /// A line of the log.
  ///
  /// @param lastStatus HTTP status of the last answer; null without one
  /// @param lastError why the last attempt failed; empty if it did not
  public record Delivery(
      long id,
      long event,
      String kind,
      @Nullable String account,
      Instant createdAt,
      State state,
      int attempts,
      @Nullable Integer lastStatus,
      String lastError,
      @Nullable Instant lastAttemptAt,
      @Nullable Instant nextAttemptAt) {}

  /// A delivery that this process carries out now.
  ///
  /// @param attempts attempts before this one
  record Claimed(
      long id,
      long endpoint,
      String url,
      int attempts,
      long event,
      String kind,
      @Nullable String account,
      String body,
      Instant createdAt) {}

  /// The outcome of an attempt.
  ///
  /// @param status HTTP status; null without an answer
  /// @param error empty if the receiver has accepted it
  record Outcome(@Nullable Integer status, String error) {}

  /// Claims deliveries that are due, some of each endpoint. They become due again by themselves if
  /// this process dies meanwhile. If more endpoints wait than are asked for, chance decides, so
  /// that none has to wait for those that are always first.
  ///
  /// @param busy endpoints that this process is delivering to
  /// @param endpointsMax most endpoints
  /// @param lease time after which the deliveries become due again, unless their outcome is stored
  List<Claimed> claim(Collection<Long> busy, int endpointsMax, Duration lease, Instant now) {
    return jdbc.sql(
            """
            with ready as (
              select e.id from webhook_endpoint e
              where e.state = 'ACTIVE' and not (e.id = any (string_to_array(:busy, ',')::bigint[]))
                and exists (select from webhook_delivery d
                  where d.endpoint_id = e.id and d.state = 'DUE' and d.next_attempt_at <= :now::timestamptz)
              order by random() limit :endpoints),
            due as (
              select d.id from ready cross join lateral (select w.id from webhook_delivery w
                where w.endpoint_id = ready.id and w.state = 'DUE' and w.next_attempt_at <= :now::timestamptz
                order by w.next_attempt_at, w.id limit :most for update skip locked) d),
            claimed as (
              update webhook_delivery d set next_attempt_at = :now::timestamptz + :lease * interval '1 millisecond'
              from due where d.id = due.id returning d.id, d.endpoint_id, d.attempts, d.event_id)
            select c.id, c.endpoint_id, e.url, c.attempts, v.id, v.kind, v.account, v.body::text, v.created_at
            from claimed c join webhook_endpoint e on e.id = c.endpoint_id join webhook_event v on v.id = c.event_id
            order by c.id
            """)
        .param("now", Timestamp.from(now))
        .param("busy", String.join(",", busy.stream().map(String::valueOf).toList()))
        .param("endpoints", endpointsMax)
        .param("most", CLAIMED_MAX)
        .param("lease", lease.toMillis())
        .query((row, _) ->
            new Claimed(
                row.getLong(1),
                row.getLong(2),
                row.getString(3),
                row.getInt(4),
                row.getLong(5),
                row.getString(6),
                row.getString(7),
                row.getString(8),
                row.getTimestamp(9).toInstant()))
        .list();
  }

  /// Makes claimed deliveries due again that were not tried.
  void giveBack(List<Claimed> untried, Instant now) {
    if (!untried.isEmpty()) {
      jdbc.sql(
              "update webhook_delivery set next_attempt_at = ? where id = any(?) and state = 'DUE'")
          .param(Timestamp.from(now))
          .param(untried.stream().map(Claimed::id).toArray(Long[]::new))
          .update();
    }
  }

  /// Stores the outcome of an attempt. After too many deliveries in a row that were given up, the
  /// endpoint is disabled.
  ///
  /// @param attemptsMax attempts after which a delivery is given up
  /// @param failuresMax deliveries that are given up before the endpoint is disabled
  State finish(Claimed delivery, Outcome outcome, int attemptsMax, int failuresMax, Instant now) {
    State state =
        outcome.error.isEmpty()
            ? State.DELIVERED
            : delivery.attempts + 1 < attemptsMax ? State.DUE : State.DEAD;
    transaction.executeWithoutResult(_ -> {
      store(delivery.id, state, outcome, now);
      if (state == State.DELIVERED) {
        jdbc.sql("update webhook_endpoint set failures = 0 where id = ? and failures > 0")
            .param(delivery.endpoint)
            .update();
      } else if (state == State.DEAD) {
        jdbc.sql(
                "update webhook_endpoint set failures = failures + 1,"
                    + " state = case when failures + 1 >= ? and state = 'ACTIVE' then 'DISABLED' else state end"
                    + " where id = ?")
            .params(failuresMax, delivery.endpoint)
            .update();
      }
    });
    return state;
  }

  private void store(long id, State state, Outcome outcome, Instant now) {
    jdbc.sql(
            """
            update webhook_delivery set state = :state, attempts = attempts + 1, last_attempt_at = :now::timestamptz,
              last_status = :status, last_error = :error,
              next_attempt_at = :now::timestamptz + least(:first * power(2, least(attempts, 30)), :longest) * interval '1 second'
            where id = :id and state = 'DUE'
            """)
        .param("state", state.name())
        .param("now", Timestamp.from(now))
        .param("status", outcome.status)
        .param("error", outcome.error)
        .param("first", (double) FIRST_PAUSE.toSeconds())
        .param("longest", (double) LONGEST_PAUSE.toSeconds())
        .param("id", id)
        .update();
  }

  /// Returns deliveries of an endpoint, latest first.
  public List<Delivery> page(long endpoint, long before, int limit) {
    return jdbc.sql(
            "select d.id, v.id, v.kind, v.account, v.created_at, d.state, d.attempts, d.last_status, d.last_error,"
                + " d.last_attempt_at, case d.state when 'DUE' then d.next_attempt_at end"
                + " from webhook_delivery d join webhook_event v on v.id = d.event_id"
                + " where d.endpoint_id = ? and d.id < ? order by d.id desc limit ?")
        .params(endpoint, before, limit)
        .query((row, _) -> {
          Timestamp last = row.getTimestamp(10);
          Timestamp next = row.getTimestamp(11);
          int status = row.getInt(8);
          return new Delivery(
              row.getLong(1),
              row.getLong(2),
              row.getString(3),
              row.getString(4),
              row.getTimestamp(5).toInstant(),
              State.valueOf(row.getString(6)),
              row.getInt(7),
              status == 0 ? null : Integer.valueOf(status),
              row.getString(9),
              last == null ? null : last.toInstant(),
              next == null ? null : next.toInstant());
        })
        .list();
  }

  /// Makes a delivery due again, with all its attempts.
  ///
  /// @return false if the endpoint has no such delivery
  public boolean resend(long endpoint, long id, Instant now) {
    return jdbc.sql(
                "update webhook_delivery set state = 'DUE', attempts = 0, next_attempt_at = ?"
                    + " where endpoint_id = ? and id = ?")
            .params(Timestamp.from(now), endpoint, id)
            .update()
        == 1;
  }

  /// Forgets events, with their deliveries, that are older than a time.
  void forget(Instant before) {
    int forgotten;
    do {
      forgotten =
          jdbc.sql(
                  "delete from webhook_event where id in (select id from webhook_event where created_at < ?"
                      + " order by created_at limit ? for update skip locked)")
              .params(Timestamp.from(before), FORGOTTEN_AT_ONCE)
              .update();
    } while (forgotten == FORGOTTEN_AT_ONCE);
  }
}
