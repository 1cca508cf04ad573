package io.viaduct.billing.access;

import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Keeps the sessions of users in access networks. Records may come twice, late, and in any order:
/// counts only grow, and a session that has ended stays so. Nothing here is charged.
public final class AccessSessions {
  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;

  AccessSessions(TransactionTemplate transaction, JdbcClient jdbc) {
    this.transaction = transaction;
    this.jdbc = jdbc;
  }

  /// Stores a record. It is of the latest session with its name, unless that has ended before. A
  /// Stop after that end is of the same session if it says that the session began before it, and of
  /// another one, whose Start was lost, if not. A Stop with the counts of the ended session is a
  /// copy and changes nothing: one without Event-Timestamp has the time of its arrival, however
  /// long it has waited.
  public void store(AccessRecord record) {
    transaction.executeWithoutResult(_ -> {
      lock(record.key());
      Optional<Latest> known = latest(record);
      if (known.isEmpty()) {
        insert(record);
      } else if (!known.get().isCopied()) {
        update(known.get().id(), record);
      }
    });
  }

  /// The session that a record is of.
  ///
  /// @param isCopied true if the record is a copy of its end, which seems to be later
  private record Latest(long id, boolean isCopied) {}

  // Two records of one session that come together must not make two sessions.
  private void lock(AccessRecord.Key key) {
    jdbc.sql("select pg_advisory_xact_lock(hashtextextended(?, 0))")
        .param("access " + key)
        .query(_ -> {});
  }

  private Optional<Latest> latest(AccessRecord record) {
    return jdbc.sql(
            """
            select id, is_later and is_copy from (
              select *, ended_at is not null and :at > ended_at as is_later,
                :end and (octets_up, octets_down) = (:up, :down) as is_copy from access_session
              where (network, server, session) = (:network, :server, :session) order by id desc limit 1) s
            where account = :account and (not is_later or is_copy or :end and :started < ended_at)
            """)
        .param("network", record.key().network())
        .param("server", record.key().server())
        .param("session", record.key().session())
        .param("account", record.account())
        .param("at", Timestamp.from(record.at()))
        .param("started", Timestamp.from(record.at().minus(record.lasted())))
        .param("end", record.isEnd())
        .param("up", record.octetsUp())
        .param("down", record.octetsDown())
        .query((row, _) -> new Latest(row.getLong(1), row.getBoolean(2)))
        .optional();
  }

  private void insert(AccessRecord record) {
    jdbc.sql(
            """
            insert into access_session (network, server, session, account, device, address, started_at, heard_at,
              ended_at, ended_by, octets_up, octets_down)
            values (:network, :server, :session, :account, :device, :address, :started, :at, :ended, :by, :up, :down)
            """)
        .param("network", record.key().network())
        .param("server", record.key().server())
        .param("session", record.key().session())
        .param("account", record.account())
        .param("device", record.device())
        .param("address", record.address())
        .param("started", Timestamp.from(record.at().minus(record.lasted())))
        .param("at", Timestamp.from(record.at()))
        .param("ended", record.isEnd() ? Timestamp.from(record.at()) : null)
        .param("by", record.isEnd() ? record.endedBy() : null)
        .param("up", record.octetsUp())
        .param("down", record.octetsDown())
        .update();
  }

  private void update(long id, AccessRecord record) {
    jdbc.sql(
            """
            update access_session set started_at = least(started_at, :started), heard_at = greatest(heard_at, :at),
              octets_up = greatest(octets_up, :up), octets_down = greatest(octets_down, :down),
              device = case when :device = '' then device else :device end,
              address = case when :address = '' then address else :address end,
              ended_at = coalesce(ended_at, :ended::timestamptz), ended_by = coalesce(ended_by, :by::text)
            where id = :id
            """)
        .param("id", id)
        .param("started", Timestamp.from(record.at().minus(record.lasted())))
        .param("at", Timestamp.from(record.at()))
        .param("up", record.octetsUp())
        .param("down", record.octetsDown())
        .param("device", record.device())
        .param("address", record.address())
        .param("ended", record.isEnd() ? Timestamp.from(record.at()) : null)
        .param("by", record.isEnd() ? record.endedBy() : null)
        .update();
  }

  /// Ends all sessions of an access server that has started or stops.
  ///
  /// @return number of sessions that have ended
  public int endAll(String network, String server, String endedBy, Instant at) {
    return jdbc.sql(
            "update access_session set ended_at = heard_at, ended_by = ?"
                + " where network = ? and server = ? and ended_at is null and heard_at <= ?")
        .params(endedBy, network, server, Timestamp.from(at))
        .update();
  }

  /// Deletes the sessions whose latest record is of a month before the last `months` whole months.
  ///
  /// @param months as `retention.personal-data-months`; 0 keeps all
  public int forget(int months, Instant now) {
    if (months == 0) {
      return 0;
    }
    Instant kept =
        now.atZone(ZoneOffset.UTC)
            .toLocalDate()
            .withDayOfMonth(1)
            .minusMonths(months)
            .atStartOfDay(ZoneOffset.UTC)
            .toInstant();
    return jdbc.sql("delete from access_session where heard_at < ?")
        .param(Timestamp.from(kept))
        .update();
  }
}
