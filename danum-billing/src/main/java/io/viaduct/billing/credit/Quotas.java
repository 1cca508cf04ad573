package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.Use;
import io.viaduct.billing.tariff.ServiceClass;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Stores quotas. The caller holds the lock of their account.
final class Quotas {
  private static final String SELECT =
      """
      select q.snapt_id, q.session_id, q.application, q.service_class, q.used_bytes, q.used_flow_ms, q.used_interval_ms,
        q.allowed_bytes, q.allowed_flow_ms, q.allowed_interval_ms, q.covered_bytes, q.covered_flow_ms,
        q.covered_interval_ms, q.bytes_per_second, q.flows, q.beyond_from, q.beyond_to, q.reserved_microdenarii, q.valid_until, q.cut,
        q.grace_bytes, q.grace_flow_ms, q.grace_interval_ms, q.grace_ends_at, q.grace_from, q.grace_to
      from credit_quota q
      """;

  private final JdbcTemplate batches;
  private final JdbcClient jdbc;

  Quotas(JdbcTemplate batches) {
    this.batches = batches;
    jdbc = JdbcClient.create(batches);
  }

  List<Quota> ofAccount(String account) {
    return jdbc.sql(SELECT + "where q.account = ? order by q.service_class, q.application")
        .param(account)
        .query((row, _) -> quota(row))
        .list();
  }

  List<Quota> ofSessions(Collection<SessionKey> sessions) {
    return jdbc.sql(
            SELECT
                + "join unnest(?::text[], ?::text[]) u(snapt, session)"
                + " on (q.snapt_id, q.session_id) = (u.snapt, u.session)")
        .param(sessions.stream().map(SessionKey::snapt).toArray(String[]::new))
        .param(sessions.stream().map(SessionKey::id).toArray(String[]::new))
        .query((row, _) -> quota(row))
        .list();
  }

  /// Returns the use of an application that posted reports cover already.
  Use covered(SessionKey session, Application application) {
    return jdbc.sql(
            """
            select coalesce(sum(c.pre_bytes), 0), coalesce(sum(c.duration_ms), 0),
              (select coalesce(sum(extract(epoch from i.ended_at - i.started_at) * 1000), 0)::bigint
               from interval_key k join charging_interval i on i.id = k.interval_id
               where k.snapt_id = :snapt and k.session_id = :session)
            from interval_key k join charge c on c.interval_id = k.interval_id
            where k.snapt_id = :snapt and k.session_id = :session
              and c.application = :application and c.service_class = :class
            """)
        .param("snapt", session.snapt())
        .param("session", session.id())
        .param("application", application.name())
        .param("class", application.serviceClass().name())
        .query((row, _) -> new Use(row.getLong(1), row.getLong(2), row.getLong(3)))
        .single();
  }

  /// Returns those SNAPTs whose sessions have asked for credit since a time.
  Set<String> controlled(Set<String> snapts, Instant since) {
    return jdbc.sql("select snapt_id from credit_snapt where snapt_id = any(?) and heard_at > ?")
        .param(snapts.toArray(String[]::new))
        .param(Timestamp.from(since))
        .query(String.class)
        .set();
  }

  /// Stores new and changed quotas.
  void save(String account, Collection<Quota> quotas) {
    batches.batchUpdate(
        """
        insert into credit_quota (snapt_id, session_id, application, service_class, account,
          used_bytes, used_flow_ms, used_interval_ms, allowed_bytes, allowed_flow_ms, allowed_interval_ms,
          covered_bytes, covered_flow_ms, covered_interval_ms, bytes_per_second, flows, beyond_from, beyond_to,
          reserved_microdenarii, valid_until, cut,
          grace_bytes, grace_flow_ms, grace_interval_ms, grace_ends_at, grace_from, grace_to)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        on conflict (snapt_id, session_id, application, service_class) do update set
          used_bytes = excluded.used_bytes, used_flow_ms = excluded.used_flow_ms,
          used_interval_ms = excluded.used_interval_ms, allowed_bytes = excluded.allowed_bytes,
          allowed_flow_ms = excluded.allowed_flow_ms, allowed_interval_ms = excluded.allowed_interval_ms,
          covered_bytes = excluded.covered_bytes, covered_flow_ms = excluded.covered_flow_ms,
          covered_interval_ms = excluded.covered_interval_ms, bytes_per_second = excluded.bytes_per_second,
          flows = excluded.flows, beyond_from = excluded.beyond_from, beyond_to = excluded.beyond_to,
          reserved_microdenarii = excluded.reserved_microdenarii, valid_until = excluded.valid_until, cut = excluded.cut,
          grace_bytes = excluded.grace_bytes, grace_flow_ms = excluded.grace_flow_ms,
          grace_interval_ms = excluded.grace_interval_ms, grace_ends_at = excluded.grace_ends_at,
          grace_from = excluded.grace_from, grace_to = excluded.grace_to
        """,
        quotas.stream().map(quota -> row(account, quota)).toList());
  }

  /// Deletes the quota of an application.
  void delete(Quota quota) {
    jdbc.sql(
            "delete from credit_quota where (snapt_id, session_id, application, service_class) = (?, ?, ?, ?)")
        .param(quota.session().snapt())
        .param(quota.session().id())
        .param(quota.application().name())
        .param(quota.application().serviceClass().name())
        .update();
  }

  /// Deletes the quotas of ended sessions that reserve nothing any more, or whose reports are all
  /// posted: bytes that were lost on their last way are in no report.
  void sweep(Collection<SessionKey> sessions) {
    jdbc.sql(
            """
            delete from credit_quota q using credit_session s, unnest(?::text[], ?::text[]) u(snapt, session)
            where (q.snapt_id, q.session_id) = (u.snapt, u.session)
              and (s.snapt_id, s.session_id) = (u.snapt, u.session) and s.ended
              and (q.reserved_microdenarii = 0 or exists (select from interval_key k
                join snapt_report r on r.interval_id = k.interval_id and r.last
                where (k.snapt_id, k.session_id) = (u.snapt, u.session) and k.sequence + 1 =
                  (select count(*) from interval_key j
                   where (j.snapt_id, j.session_id, j.epoch) = (k.snapt_id, k.session_id, k.epoch))))
            """)
        .param(sessions.stream().map(SessionKey::snapt).toArray(String[]::new))
        .param(sessions.stream().map(SessionKey::id).toArray(String[]::new))
        .update();
  }

  /// Stores that something was heard of sessions.
  void heard(Collection<SessionKey> sessions, Instant now) {
    jdbc.sql(
            """
            update credit_session s set heard_at = ? from unnest(?::text[], ?::text[]) u(snapt, session)
            where (s.snapt_id, s.session_id) = (u.snapt, u.session)
            """)
        .param(Timestamp.from(now))
        .param(sessions.stream().map(SessionKey::snapt).toArray(String[]::new))
        .param(sessions.stream().map(SessionKey::id).toArray(String[]::new))
        .update();
  }

  /// Tells every billing instance, at commit, that those accounts have more credit which a cut
  /// quota waits for.
  void wake(Collection<String> accounts) {
    jdbc.sql(
            "select pg_notify('credit', account) from credit_quota where cut and account = any(?)"
                + " group by account")
        .param(accounts.stream().distinct().toArray(String[]::new))
        .query(row -> {});
  }

  /// Stores why traffic could pass.
  void passed(Collection<CoveredUse.Passed> passed) {
    batches.batchUpdate(
        "insert into interval_pass (interval_id, application, service_class, rule) values (?, ?, ?, ?)",
        passed.stream()
            .map(each ->
                new Object[] {
                  each.interval(),
                  each.application().name(),
                  each.application().serviceClass().name(),
                  each.rule().name()
                })
            .toList());
  }

  private static Object[] row(String account, Quota quota) {
    return new Object[] {
      quota.session().snapt(),
      quota.session().id(),
      quota.application().name(),
      quota.application().serviceClass().name(),
      account,
      quota.used().bytes(),
      quota.used().flowMs(),
      quota.used().intervalMs(),
      quota.allowed().bytes(),
      quota.allowed().flowMs(),
      quota.allowed().intervalMs(),
      quota.covered().bytes(),
      quota.covered().flowMs(),
      quota.covered().intervalMs(),
      quota.bytesPerSecond(),
      quota.flows(),
      quota.beyond().from(),
      quota.beyond().to(),
      quota.reserved().value(),
      Timestamp.from(quota.validUntil()),
      quota.isCut(),
      quota.grace().kept().bytes(),
      quota.grace().kept().flowMs(),
      quota.grace().kept().intervalMs(),
      quota.grace().endsAt() == null ? null : Timestamp.from(quota.grace().endsAt()),
      quota.grace().from(),
      quota.grace().to()
    };
  }

  private static Grace grace(ResultSet row) throws SQLException {
    Timestamp end = row.getTimestamp(24);
    return new Grace(
        new Use(row.getLong(21), row.getLong(22), row.getLong(23)),
        end == null ? null : end.toInstant(),
        row.getLong(25),
        row.getLong(26));
  }

  private static Quota quota(ResultSet row) throws SQLException {
    return new Quota(
        new SessionKey(row.getString(1), row.getString(2)),
        new Application(row.getString(3), ServiceClass.valueOf(row.getString(4))),
        new Use(row.getLong(5), row.getLong(6), row.getLong(7)),
        new Use(row.getLong(8), row.getLong(9), row.getLong(10)),
        new Use(row.getLong(11), row.getLong(12), row.getLong(13)),
        row.getDouble(14),
        row.getLong(15),
        new Quota.Beyond(row.getLong(16), row.getLong(17)),
        grace(row),
        new MicroDenarii(row.getLong(18)),
        row.getTimestamp(19).toInstant(),
        row.getBoolean(20));
  }
}
