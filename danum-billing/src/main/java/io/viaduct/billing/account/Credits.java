package io.viaduct.billing.account;

import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/// Posts money that an operator gives back: a refund where a charge is named, else a credit. Each
/// idempotency key posts once. The refunds of a charge are together at most what was paid for it.
public final class Credits {
  private static final int KEY_LOCK = 0x63726564;
  public static final int CHARGE_LOCK = 1919247988; // as the trigger on the table
  private static final String SELECT =
      "select idempotency_key, account, amount_microdenarii, reason, charge_id, created_by,"
          + " created_at, transaction_id from credit ";

  private final TransactionTemplate transaction;
  private final JdbcTemplate jdbc;
  private final Ledger ledger;

  public Credits(TransactionTemplate transaction, JdbcTemplate jdbc, Ledger ledger) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.ledger = ledger;
  }

  /// What is asked for.
  ///
  /// @param key the caller's, one name space for all accounts
  /// @param reason for the one who gets the money
  /// @param charge that is refunded, or null
  /// @param createdBy the operator
  public record Wanted(
      String key,
      String account,
      MicroDenarii amount,
      String reason,
      @Nullable Long charge,
      String createdBy) {
    private boolean isSameAs(Wanted other) {
      return account.equals(other.account)
          && amount.equals(other.amount)
          && reason.equals(other.reason)
          && Objects.equals(charge, other.charge);
    }
  }

  /// A credit that was posted.
  public record Credit(Wanted content, Instant createdAt, long transactionId) {}

  /// The ways in which a credit ends.
  public sealed interface Result {
    /// Posted now.
    record Posted(Credit credit) implements Result {}

    /// The same was posted before.
    record AlreadyPosted(Credit credit) implements Result {}

    /// The key was used for something else.
    record KeyTaken() implements Result {}

    /// The account has no such charge.
    record NoSuchCharge() implements Result {}

    /// @param left of the charge that may still be refunded
    record MoreThanPaid(MicroDenarii left) implements Result {}
  }

  /// Posts a credit of an account that exists.
  public Result post(Wanted wanted, Instant now) {
    return transaction.execute(_ -> {
      lock(KEY_LOCK, wanted.key().hashCode());
      List<Credit> before = find(wanted.key());
      if (!before.isEmpty()) {
        Credit known = before.getFirst();
        return known.content().isSameAs(wanted)
            ? new Result.AlreadyPosted(known)
            : new Result.KeyTaken();
      }
      if (wanted.charge() != null) {
        List<MicroDenarii> left = refundable(wanted.account(), wanted.charge());
        if (left.isEmpty()) {
          return new Result.NoSuchCharge();
        }
        if (wanted.amount().compareTo(left.getFirst()) > 0) {
          return new Result.MoreThanPaid(left.getFirst());
        }
      }
      insert(wanted, now);
      return new Result.Posted(find(wanted.key()).getFirst());
    });
  }

  /// Credits of an account, latest first.
  ///
  /// @param before transaction of the last one seen
  public List<Credit> page(String account, long before, int limit) {
    return jdbc.query(
        SELECT + "where account = ? and transaction_id < ? order by transaction_id desc limit ?",
        (row, _) -> credit(row),
        account,
        before,
        limit);
  }

  private void lock(int what, int which) {
    jdbc.query("select pg_advisory_xact_lock(?, ?)", row -> {}, what, which);
  }

  // What is left of a charge, nothing of a void one, under the lock that its refunds wait for.
  // hashint8 is PostgreSQL's.
  private List<MicroDenarii> refundable(String account, long charge) {
    jdbc.query("select pg_advisory_xact_lock(?, hashint8(?))", row -> {}, CHARGE_LOCK, charge);
    return jdbc.query(
        "select case when i.state = 'VOID' then 0 else charge_microdenarii - discount_microdenarii"
            + " - (select coalesce(sum(amount_microdenarii), 0) from credit where charge_id = c.id) end"
            + " from charge c join charging_interval i on i.id = c.interval_id"
            + " where c.id = ? and c.account = ?",
        (row, _) -> new MicroDenarii(row.getLong(1)),
        charge,
        account);
  }

  private void insert(Wanted wanted, Instant now) {
    LedgerTransaction.Kind kind =
        wanted.charge() == null ? LedgerTransaction.Kind.CREDIT : LedgerTransaction.Kind.REFUND;
    long transactionId =
        ledger
            .post(
                List.of(
                    LedgerTransaction.credit(
                        kind, wanted.key(), wanted.account(), wanted.amount(), wanted.reason())),
                now)
            .getFirst();
    jdbc.update(
        "insert into credit (idempotency_key, account, amount_microdenarii, reason, charge_id,"
            + " created_by, created_at, transaction_id) values (?, ?, ?, ?, ?, ?, ?, ?)",
        wanted.key(),
        wanted.account(),
        wanted.amount().value(),
        wanted.reason(),
        wanted.charge(),
        wanted.createdBy(),
        Timestamp.from(now),
        transactionId);
  }

  private List<Credit> find(String key) {
    return jdbc.query(SELECT + "where idempotency_key = ?", (row, _) -> credit(row), key);
  }

  private static Credit credit(ResultSet row) throws SQLException {
    return new Credit(
        new Wanted(
            row.getString("idempotency_key"),
            row.getString("account"),
            new MicroDenarii(row.getLong("amount_microdenarii")),
            row.getString("reason"),
            row.getObject("charge_id", Long.class),
            row.getString("created_by")),
        row.getTimestamp("created_at").toInstant(),
        row.getLong("transaction_id"));
  }
}
