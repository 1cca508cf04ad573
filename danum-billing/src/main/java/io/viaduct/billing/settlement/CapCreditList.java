package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.Cap;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads what the caps of an hour or a day gave back to an account ([CapCredits]).
public final class CapCreditList {
  private final JdbcClient jdbc;

  public CapCreditList(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// A credit that was posted.
  ///
  /// @param application empty for a whole day
  /// @param begin start of the hour or day (UTC)
  /// @param tariffVersion version of the tariff whose cap counts
  /// @param paid what the account had paid in that time
  /// @param limit the cap; the same as `paid` if a re-rating brought the sum below it
  /// @param amount what was given back; negative if a re-rating took a part of it back
  /// @param postedAt null if the month of the posting was dropped
  public record PostedCredit(
      long transaction,
      Cap cap,
      String application,
      Instant begin,
      int tariffVersion,
      MicroDenarii paid,
      MicroDenarii limit,
      MicroDenarii amount,
      @Nullable Instant postedAt) {
    /// Returns the end of the hour or day.
    public Instant end() {
      return begin.plus(cap == Cap.ACCOUNT_DAY ? Duration.ofDays(1) : Duration.ofHours(1));
    }
  }

  /// Returns credits of an account, latest first.
  ///
  /// @param before transaction id of the last row of the previous page
  public List<PostedCredit> page(String account, long before, int limit) {
    return jdbc.sql(
            """
            select k.transaction_id, k.cap, k.application, k.began_at, k.tariff_version, k.paid_microdenarii,
              k.limit_microdenarii, k.amount_microdenarii, t.posted_at
            from cap_credit k left join ledger_transaction t on t.id = k.transaction_id
            where k.account = ? and k.transaction_id < ? order by k.transaction_id desc limit ?
            """)
        .param(account)
        .param(before)
        .param(limit)
        .query((row, _) -> credit(row))
        .list();
  }

  private static PostedCredit credit(ResultSet row) throws SQLException {
    Timestamp posted = row.getTimestamp("posted_at");
    return new PostedCredit(
        row.getLong("transaction_id"),
        Cap.valueOf(row.getString("cap")),
        row.getString("application"),
        row.getTimestamp("began_at").toInstant(),
        row.getInt("tariff_version"),
        new MicroDenarii(row.getLong("paid_microdenarii")),
        new MicroDenarii(row.getLong("limit_microdenarii")),
        new MicroDenarii(row.getLong("amount_microdenarii")),
        posted == null ? null : posted.toInstant());
  }
}
