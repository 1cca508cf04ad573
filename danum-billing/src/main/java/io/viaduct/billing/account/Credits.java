package io.viaduct.billing.account;

import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.wallet.Wallets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Posts money that an operator gives back: a refund if a charge is named, else a credit. Each
/// idempotency key posts once. All refunds of a charge together cannot exceed the amount that was
/// paid for it. The wallets that paid the charge get a refund back.
public final class Credits {
  private static final int KEY_LOCK = 0x63726564;
  public static final int CHARGE_LOCK =
      1919247988; // the same number as in the table's trigger (V7)
  private static final String SELECT =
      "select idempotency_key, account, amount_microdenarii, reason, charge_id, created_by,"
          + " created_at, transaction_id from credit ";

  private final OncePerKey<Credit> once;
  private final JdbcClient jdbc;
  private final Ledger ledger;
  private final Wallets wallets;

  public Credits(TransactionTemplate transaction, JdbcClient jdbc, Ledger ledger) {
    once = new OncePerKey<>(transaction, jdbc, KEY_LOCK, this::find);
    this.jdbc = jdbc;
    this.ledger = ledger;
    wallets = new Wallets(jdbc);
  }

  /// A requested credit.
  ///
  /// @param key the caller's idempotency key, unique over all accounts
  /// @param reason reason, shown to the receiver of the money
  /// @param charge id of the refunded charge, or null
  /// @param createdBy account of the operator
  public record Request(
      String key,
      String account,
      MicroDenarii amount,
      String reason,
      @Nullable Long charge,
      String createdBy) {
    private boolean isSameAs(Request other) {
      return account.equals(other.account)
          && amount.equals(other.amount)
          && reason.equals(other.reason)
          && Objects.equals(charge, other.charge);
    }
  }

  /// A credit that was posted.
  public record Credit(Request content, Instant createdAt, long transactionId) {}

  /// The result of [#post].
  public sealed interface Result {
    /// Posted now.
    record Posted(Credit credit) implements Result {}

    /// The same credit was posted before.
    record AlreadyPosted(Credit credit) implements Result {}

    /// The idempotency key was used for a different credit.
    record KeyTaken() implements Result {}

    /// The account has no such charge.
    record NoSuchCharge() implements Result {}

    /// The refund is larger than the refundable rest of the charge.
    ///
    /// @param refundable amount of the charge that may still be refunded
    record ExceedsCharge(MicroDenarii refundable) implements Result {}
  }

  /// Posts a credit. The account must exist.
  public Result post(Request request, Instant now) {
    return once.post(
        request.key(),
        known ->
            known.content().isSameAs(request)
                ? new Result.AlreadyPosted(known)
                : new Result.KeyTaken(),
        () -> postNew(request, now));
  }

  private Result postNew(Request request, Instant now) {
    CreditLock.take(jdbc, List.of(request.account()));
    if (request.charge() != null) {
      Optional<MicroDenarii> refundable = refundable(request.account(), request.charge());
      if (refundable.isEmpty()) {
        return new Result.NoSuchCharge();
      }
      if (request.amount().compareTo(refundable.get()) > 0) {
        return new Result.ExceedsCharge(refundable.get());
      }
    }
    insert(request, now);
    if (request.charge() != null) {
      giveBack(request.charge(), request.amount());
    }
    return new Result.Posted(find(request.key()).orElseThrow());
  }

  /// Returns the credits of an account, latest first.
  ///
  /// @param before transaction id of the last row of the previous page
  public List<Credit> page(String account, long before, int limit) {
    return jdbc.sql(
            SELECT
                + "where account = :account and transaction_id < :before order by transaction_id desc limit :limit")
        .param("account", account)
        .param("before", before)
        .param("limit", limit)
        .query((row, _) -> credit(row))
        .list();
  }

  // Returns the refundable rest of a charge; zero for an interval that is void or may be replaced.
  // The part that a cap of its hour or day has given back is not given back again: after it the
  // user has paid the cap for that time, less later refunds. The lock makes refunds of one charge
  // wait for each other. hashint8 is a function of PostgreSQL.
  private Optional<MicroDenarii> refundable(String account, long charge) {
    jdbc.sql("select pg_advisory_xact_lock(?, hashint8(?))")
        .param(CHARGE_LOCK)
        .param(charge)
        .query(row -> {});
    return jdbc.sql(
            """
            select case when i.state in ('VOID', 'FINAL_PROVISIONAL') then 0 else least(
              c.net - (select coalesce(sum(amount_microdenarii), 0) from credit where charge_id = c.id),
              (select min(k.limit_microdenarii - (select coalesce(sum(r.amount_microdenarii), 0)
                 from charge o join credit r on r.charge_id = o.id and r.transaction_id > s.first
                 where o.account = k.account and o.started_at >= k.began_at and o.started_at < k.began_at + w.length
                   and (k.application = '' or o.application = k.application)))
               from cap_credit k
               cross join lateral (select min(f.transaction_id) as first, max(f.revision) as newest from cap_credit f
                 where (f.account, f.cap, f.application, f.began_at) = (k.account, k.cap, k.application, k.began_at)) s
               cross join lateral (select case k.cap when 'ACCOUNT_DAY' then interval '1 day' else interval '1 hour' end as length) w
               where k.revision = s.newest and k.account = c.account and c.started_at >= k.began_at and c.started_at < k.began_at + w.length
                 and (k.application = '' or k.application = c.application))) end
            from current_charge c join charging_interval i on i.id = c.interval_id
            where c.id = ? and c.account = ?
            """)
        .param(charge)
        .param(account)
        .query((row, _) -> new MicroDenarii(row.getLong(1)))
        .optional();
  }

  private void insert(Request request, Instant now) {
    LedgerTransaction.Kind kind =
        request.charge() == null ? LedgerTransaction.Kind.CREDIT : LedgerTransaction.Kind.REFUND;
    long transactionId =
        ledger
            .post(
                List.of(
                    LedgerTransaction.credit(
                        kind,
                        request.key(),
                        request.account(),
                        request.amount(),
                        request.reason())),
                now)
            .getFirst();
    jdbc.sql(
            "insert into credit (idempotency_key, account, amount_microdenarii, reason, charge_id,"
                + " created_by, created_at, transaction_id) values (:idempotencyKey, :account, :amountMicrodenarii, :reason, :chargeId, :createdBy, :createdAt, :transactionId)")
        .param("idempotencyKey", request.key())
        .param("account", request.account())
        .param("amountMicrodenarii", request.amount().value())
        .param("reason", request.reason())
        .param("chargeId", request.charge())
        .param("createdBy", request.createdBy())
        .param("createdAt", Timestamp.from(now))
        .param("transactionId", transactionId)
        .update();
  }

  // The wallets that paid the charge are first in the order of its draws, so prepaid money gets
  // back
  // what it paid before they do.
  private void giveBack(long charge, MicroDenarii amount) {
    MicroDenarii left =
        new MicroDenarii(
            jdbc.sql(
                    "select c.net - (select coalesce(sum(r.amount_microdenarii), 0) from credit r where r.charge_id = c.id)"
                        + " from current_charge c where c.id = ?")
                .param(charge)
                .query(Long.class)
                .single());
    wallets.giveBack(
        List.of(new Wallets.Saving(Set.of(charge), amount, left)), Wallets.Reason.REFUND);
  }

  private Optional<Credit> find(String key) {
    return jdbc.sql(SELECT + "where idempotency_key = ?")
        .param(key)
        .query((row, _) -> credit(row))
        .optional();
  }

  private static Credit credit(ResultSet row) throws SQLException {
    return new Credit(
        new Request(
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
