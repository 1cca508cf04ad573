package io.viaduct.billing.account;

import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Posts top-ups: money that an operator adds to an account. Each idempotency key posts once.
public final class TopUps {
  /// A billion denarii. A larger amount is a typing error.
  public static final long MICRODENARII_MAX = 1_000_000_000_000_000L;

  private static final String SELECT =
      "select idempotency_key, account, amount_microdenarii, reference, created_by, created_at,"
          + " transaction_id from top_up ";

  private static final int KEY_LOCK = 0x746f7075;

  private final OncePerKey<TopUp> once;
  private final JdbcClient jdbc;
  private final Ledger ledger;

  public TopUps(TransactionTemplate transaction, JdbcClient jdbc, Ledger ledger) {
    once = new OncePerKey<>(transaction, jdbc, KEY_LOCK, this::find);
    this.jdbc = jdbc;
    this.ledger = ledger;
  }

  /// A posted top-up.
  ///
  /// @param key the caller's idempotency key, unique over all accounts
  /// @param reference reference of the payment, for people
  public record TopUp(
      String key,
      String account,
      MicroDenarii amount,
      String reference,
      String createdBy,
      Instant createdAt,
      long transactionId) {}

  /// The result of [#post].
  public sealed interface Result {
    /// Posted now.
    record Posted(TopUp topUp) implements Result {}

    /// The same top-up was posted before.
    record AlreadyPosted(TopUp topUp) implements Result {}

    /// The idempotency key was used for a different top-up.
    record KeyTaken() implements Result {}
  }

  /// Posts a top-up. The account must exist.
  public Result post(
      String key,
      String account,
      MicroDenarii amount,
      String reference,
      String createdBy,
      Instant now) {
    return once.post(
        key,
        known ->
            known.account().equals(account)
                    && known.amount().equals(amount)
                    && known.reference().equals(reference)
                ? new Result.AlreadyPosted(known)
                : new Result.KeyTaken(),
        () -> {
          long transactionId =
              ledger
                  .post(List.of(LedgerTransaction.topUp(key, account, amount, reference)), now)
                  .getFirst();
          insert(key, account, amount, reference, createdBy, now, transactionId);
          return new Result.Posted(find(key).orElseThrow());
        });
  }

  /// Returns the top-ups of an account, latest first.
  ///
  /// @param before transaction id of the last row of the previous page
  public List<TopUp> page(String account, long before, int limit) {
    return jdbc.sql(
            SELECT
                + "where account = :account and transaction_id < :before order by transaction_id desc limit :limit")
        .param("account", account)
        .param("before", before)
        .param("limit", limit)
        .query((row, _) -> topUp(row))
        .list();
  }

  private Optional<TopUp> find(String key) {
    return jdbc.sql(SELECT + "where idempotency_key = ?")
        .param(key)
        .query((row, _) -> topUp(row))
        .optional();
  }

  private static TopUp topUp(ResultSet row) throws SQLException {
    return new TopUp(
        row.getString(1),
        row.getString(2),
        new MicroDenarii(row.getLong(3)),
        row.getString(4),
        row.getString(5),
        row.getTimestamp(6).toInstant(),
        row.getLong(7));
  }

  private void insert(
      String key,
      String account,
      MicroDenarii amount,
      String reference,
      String createdBy,
      Instant now,
      long transactionId) {
    jdbc.sql(
            "insert into top_up (idempotency_key, account, amount_microdenarii, reference, created_by,"
                + " created_at, transaction_id) values (:idempotencyKey, :account, :amountMicrodenarii, :reference, :createdBy, :createdAt, :transactionId)")
        .param("idempotencyKey", key)
        .param("account", account)
        .param("amountMicrodenarii", amount.value())
        .param("reference", reference)
        .param("createdBy", createdBy)
        .param("createdAt", Timestamp.from(now))
        .param("transactionId", transactionId)
        .update();
  }
}
