package io.viaduct.billing.receipts;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// One movement of an account's balance: the account's postings of one ledger transaction.
///
/// @param transaction id of the ledger transaction
/// @param interval the billed interval; null if none is
/// @param amount what the account gained, micro-denarii
record Movement(
    long transaction,
    String account,
    String kind,
    String identity,
    String note,
    Instant postedAt,
    @Nullable Long interval,
    long amount) {
  /// The columns that [#of] reads, of `ledger_transaction t` and an `account`.
  static final String COLUMNS =
      """
      t.id, t.kind, t.identity, t.note, t.posted_at, t.interval_id,
      (select coalesce(sum(p.amount_microdenarii), 0) from posting p
       where p.transaction_id = t.id and p.account = 'USER:' || %s.account) as amount
      """;

  private static final String OF_REPORT = "report:";

  private static final Set<String> OF_USE =
      Set.of("PROVISIONAL", "CORRECTION", "ADJUSTMENT", "REVERSAL", "RERATING");

  static Movement of(ResultSet row, String account) throws SQLException {
    long interval = row.getLong("interval_id");
    Long billed = row.wasNull() ? null : interval;
    return new Movement(
        row.getLong("id"),
        account,
        row.getString("kind"),
        row.getString("identity"),
        row.getString("note"),
        row.getTimestamp("posted_at").toInstant(),
        billed,
        row.getLong("amount"));
  }

  /// Returns microseconds since 1970.
  long postedMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, postedAt);
  }

  /// Returns true if the bill of a report is posted for the first time.
  boolean isReport() {
    return identity.startsWith(OF_REPORT);
  }

  /// Returns the bill that the movement is about; null if it is about none.
  PostedBills.@Nullable Key bill() {
    return interval == null || !OF_USE.contains(kind)
        ? null
        : new PostedBills.Key(interval, revision());
  }

  // A revision is `rerating:KEY#3`. `rerating:KEY#void` takes all revisions back.
  private int revision() {
    String end = identity.substring(identity.lastIndexOf('#') + 1);
    return kind.equals("RERATING") && end.matches("[0-9]{1,9}") ? Integer.parseInt(end) : 0;
  }
}
