package io.viaduct.billing.rest;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Finds out what an account's devices do now: from the quotas of its sessions, which are seconds
/// old, and from the last report of each session, which has delay and cost. Where a quota says that
/// the flows have ended, or has not been asked for again in time, no report says otherwise; only a
/// report that is younger than the quota does: the SNAPT could not ask meanwhile.
final class RunningTraffic {
  /// A session of which nothing was heard for this long has gone. The longest interval is 5 min. A
  /// report counts for twice its interval.
  static final Duration SILENT = Duration.ofMinutes(6);

  static final int ROWS_MAX = 200;

  private static final String SQL =
      """
      with latest as (
        select distinct on (i.snapt_id, i.session_id)
          i.id, i.snapt_id, i.session_id, i.started_at, i.ended_at, r.last
        from charging_interval i join snapt_report r on r.interval_id = i.id
        where i.account = :account and i.ended_at > :since
        order by i.snapt_id, i.session_id, i.epoch desc, i.sequence desc
      ), reported as (
        select l.snapt_id, l.session_id, c.application, c.service_class, max(c.device) device,
          count(*) flows, sum(c.pre_bytes) bytes,
          sum(c.delay_ms * c.pre_bytes) / nullif(sum(c.pre_bytes), 0)::double precision delay_ms, sum(c.net) net,
          max(extract(epoch from l.ended_at - l.started_at)::double precision) * 1000 interval_ms,
          max(l.ended_at) ended_at
        from latest l join current_charge c on c.interval_id = l.id
        where not l.last and l.ended_at + (l.ended_at - l.started_at) + interval '10 s' > :now::timestamptz
        group by 1, 2, 3, 4
      ), by_link as (
        select l.snapt_id, l.session_id, c.application, c.service_class, c.link, sum(c.pre_bytes) bytes
        from latest l join charge c on c.interval_id = l.id
        where not l.last and c.link is not null group by 1, 2, 3, 4, 5
      ), linked as (
        select snapt_id, session_id, application, service_class, array_agg(link order by bytes desc, link) links
        from by_link group by 1, 2, 3, 4
      ), told as (
        select q.snapt_id, q.session_id, q.application, q.service_class, q.bytes_per_second,
          q.flows, q.reserved_microdenarii, s.heard_at,
          q.flows > 0 and not s.ended and q.valid_until > :now::timestamptz runs,
          s.ended or q.flows = 0 has_ended, q.valid_until
        from credit_session s join credit_quota q using (snapt_id, session_id)
        where s.account = :account and s.heard_at > :since
      ), metered as (
        select * from told where runs
      ), believed as (
        select * from reported r where not exists (select from told t
          where (t.snapt_id, t.session_id, t.application, t.service_class)
              = (r.snapt_id, r.session_id, r.application, r.service_class)
            and not t.runs and (t.has_ended or t.valid_until >= r.ended_at))
      )
      select snapt_id, session_id, application, service_class, r.device, k.links,
        coalesce(m.flows, r.flows) flows, m.bytes_per_second, m.reserved_microdenarii, m.heard_at,
        r.bytes, r.delay_ms, r.net, r.interval_ms, r.ended_at
      from metered m full join believed r using (snapt_id, session_id, application, service_class)
        left join linked k using (snapt_id, session_id, application, service_class)
      order by coalesce(m.bytes_per_second, 1000 * r.bytes / nullif(r.interval_ms, 0)) desc nulls last,
        snapt_id, session_id, application, service_class
      limit
      """;

  private final JdbcClient jdbc;

  RunningTraffic(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// The traffic of one application in one session.
  ///
  /// @param bitPerSecond the present rate; null for a session without quotas
  /// @param reservedMicrodenarii what is reserved for it; null for a session without quotas
  /// @param links the device's links of the last report, the one with the most bytes first; empty
  ///   if none is known
  /// @param throughputKbitPerSecond mean of the last report; null before the first; likewise below
  /// @param perMinuteMicrodenarii cost per minute at the last report
  record Running(
      String snapt,
      String session,
      @Nullable String device,
      String application,
      String serviceClass,
      List<String> links,
      long flows,
      @Nullable Double bitPerSecond,
      @Nullable String reservedMicrodenarii,
      @Nullable Double throughputKbitPerSecond,
      @Nullable Double delayMs,
      @Nullable String perMinuteMicrodenarii,
      @Nullable Instant reportedAt) {}

  /// Returns at most [#ROWS_MAX] rows, those with the highest rate first.
  List<Running> of(String account, Instant now) {
    return jdbc.sql(SQL + ROWS_MAX)
        .param("account", account)
        .param("since", Timestamp.from(now.minus(SILENT)))
        .param("now", Timestamp.from(now))
        .query((row, _) -> running(row))
        .list();
  }

  private static Running running(ResultSet row) throws SQLException {
    Double intervalMs = row.getObject("interval_ms", Double.class);
    Double bytesPerSecond = row.getObject("bytes_per_second", Double.class);
    boolean isReported = intervalMs != null && intervalMs > 0;
    Timestamp reportedAt = row.getTimestamp("ended_at");
    return new Running(
        row.getString("snapt_id"),
        row.getString("session_id"),
        row.getString("device"),
        row.getString("application"),
        row.getString("service_class"),
        links(row.getArray("links")),
        row.getLong("flows"),
        bytesPerSecond == null ? null : bytesPerSecond * 8,
        row.getString("reserved_microdenarii"),
        isReported ? row.getDouble("bytes") * 8 / intervalMs : null,
        row.getObject("delay_ms", Double.class),
        isReported ? Long.toString(perMinute(row.getLong("net"), intervalMs)) : null,
        reportedAt == null ? null : reportedAt.toInstant());
  }

  private static List<String> links(@Nullable Array column) throws SQLException {
    return column == null ? List.of() : List.of((String[]) column.getArray());
  }

  private static long perMinute(long net, double intervalMs) {
    return Math.round(net * (Duration.ofMinutes(1).toMillis() / intervalMs));
  }
}
