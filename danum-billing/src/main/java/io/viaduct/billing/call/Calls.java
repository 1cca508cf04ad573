package io.viaduct.billing.call;

import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Lists the calls of accounts with what they were charged, and why.
public final class Calls {
  private final JdbcClient jdbc;

  Calls(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// A call.
  ///
  /// @param originHost node that carries it
  /// @param session Session-Id of the node
  /// @param endedAt null while it goes on
  /// @param endedBy TERMINATION by the node, REFUSAL of further seconds, or LAPSE of its time; null
  ///   while it goes on
  /// @param seconds seconds that were charged
  /// @param perSecond price of a second
  /// @param tariffVersion tariff that the price is from: the one in force when the call began
  /// @param charge what it cost until now
  public record ChargedCall(
      long id,
      String originHost,
      String session,
      Instant startedAt,
      @Nullable Instant endedAt,
      @Nullable String endedBy,
      long seconds,
      MicroDenarii perSecond,
      int tariffVersion,
      MicroDenarii charge) {}

  /// Returns calls of an account, latest first.
  ///
  /// @param before last id of the previous page
  public List<ChargedCall> page(String account, long before, int limit) {
    return jdbc.sql(
            """
            select c.*, coalesce(r.seconds, 0) as seconds, coalesce(r.amount, 0) as amount from call_session c
            left join lateral (select sum(seconds)::bigint as seconds, sum(amount_microdenarii)::bigint as amount
              from call_request where call_id = c.id) r on true
            where c.account = ? and c.id < ? order by c.id desc limit ?
            """)
        .params(account, before, limit)
        .query((row, _) -> call(row))
        .list();
  }

  private static ChargedCall call(ResultSet row) throws SQLException {
    Timestamp ended = row.getTimestamp("ended_at");
    return new ChargedCall(
        row.getLong("id"),
        row.getString("origin_host"),
        row.getString("session_id"),
        row.getTimestamp("started_at").toInstant(),
        ended == null ? null : ended.toInstant(),
        row.getString("ended_by"),
        row.getLong("seconds"),
        new MicroDenarii(row.getLong("microdenarii_per_second")),
        row.getInt("tariff_version"),
        new MicroDenarii(row.getLong("amount")));
  }
}
