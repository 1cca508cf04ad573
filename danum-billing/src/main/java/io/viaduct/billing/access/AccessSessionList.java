package io.viaduct.billing.access;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads the sessions of users in access networks, beside what SNAPTs have reported in their time.
public final class AccessSessionList {
  // A report that is longer than this is not looked for: each SNAPT reports every minute.
  private static final String INTERVAL_MOST = "1 hour";

  // Reports that overlap a session in part count in part: their bytes are taken as even in time.
  private static final String PAGE =
      """
      select s.*, coalesce(t.bytes, 0)::bigint as tunnel_bytes from access_session s
      left join lateral (
        select sum((r.post_bytes + r.overhead_bytes)
          * (extract(epoch from least(i.ended_at, s.heard_at) - greatest(i.started_at, s.started_at))
            / greatest(extract(epoch from i.ended_at - i.started_at), 0.001))) as bytes
        from charging_interval i join snapt_report r on r.interval_id = i.id
        where i.account = s.account and i.ended_at > s.started_at and i.ended_at < s.heard_at + interval '%s'
          and i.started_at < s.heard_at and i.state <> 'VOID' and i.session_id not like 'device:%%') t on true
      where s.account = ? and s.id < ? order by s.id desc limit ?
      """
          .formatted(INTERVAL_MOST);

  private static final double TOLERANCE = 0.05;
  private static final long IN_FLIGHT = 1 << 20;

  private final JdbcClient jdbc;

  AccessSessionList(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// The two counts of one session.
  public enum Comparison {
    /// The session goes on.
    OPEN,
    /// SNAPTs have not reported more than the access network has carried.
    WITHIN,
    /// SNAPTs have reported more. That is right if the device had other links at that time.
    ABOVE
  }

  /// A session.
  ///
  /// @param server access server; may be empty
  /// @param device device as the network calls it; may be empty
  /// @param address address of the device; may be empty
  /// @param heardAt time of the latest record
  /// @param endedAt null while the session goes on
  /// @param endedBy null while the session goes on
  /// @param octetsUp from the device, as the network counts them
  /// @param octetsDown to the device
  /// @param tunnelBytes bytes on the wire, both directions, that SNAPTs have reported for the
  ///   account in the time of the session, over all links of its devices
  public record AccessSession(
      long id,
      String network,
      String server,
      String session,
      String device,
      String address,
      Instant startedAt,
      Instant heardAt,
      @Nullable Instant endedAt,
      @Nullable String endedBy,
      long octetsUp,
      long octetsDown,
      long tunnelBytes) {

    /// Compares the counts: a difference above 5 % and above 1 MiB counts, as between a SNAPT and a
    /// device.
    public Comparison comparison() {
      if (endedAt == null) {
        return Comparison.OPEN;
      }
      long more = tunnelBytes - octetsUp - octetsDown;
      return more > IN_FLIGHT && more > TOLERANCE * tunnelBytes
          ? Comparison.ABOVE
          : Comparison.WITHIN;
    }
  }

  /// Returns sessions of an account, latest first.
  ///
  /// @param before last id of the previous page
  public List<AccessSession> page(String account, long before, int limit) {
    return jdbc.sql(PAGE).params(account, before, limit).query((row, _) -> session(row)).list();
  }

  private static AccessSession session(ResultSet row) throws SQLException {
    Timestamp ended = row.getTimestamp("ended_at");
    return new AccessSession(
        row.getLong("id"),
        row.getString("network"),
        row.getString("server"),
        row.getString("session"),
        row.getString("device"),
        row.getString("address"),
        row.getTimestamp("started_at").toInstant(),
        row.getTimestamp("heard_at").toInstant(),
        ended == null ? null : ended.toInstant(),
        row.getString("ended_by"),
        row.getLong("octets_up"),
        row.getLong("octets_down"),
        row.getLong("tunnel_bytes"));
  }
}
