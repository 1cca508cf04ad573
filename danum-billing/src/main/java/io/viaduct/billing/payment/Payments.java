package io.viaduct.billing.payment;

import io.viaduct.billing.account.AccountState;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.OncePerKey;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.ledger.MicroDenarii;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Starts payments, and posts those that the provider says are paid, each one once.
public final class Payments {
  /// Most payments of an account that were started within [#OPEN_TIME] and are not paid.
  public static final int OPEN_MAX = 20;

  /// See [#OPEN_MAX].
  public static final Duration OPEN_TIME = Duration.ofHours(24);

  private static final int KEY_LOCK = 0x7061796d;
  private static final int PAYMENT_LOCK = 0x70617965;
  private static final int ID_BYTES = 16;

  private static final String SELECT =
      """
      select p.id, p.number, p.account, p.amount_microdenarii, p.started_at,
        case when paid.event_id is not null then 'PAID'
             when exists (select from payment_event f where f.payment_id = p.id) then 'FAILED' else 'STARTED' end,
        paid.transaction_id
      from payment p left join payment_event paid on paid.payment_id = p.id and paid.kind = 'PAID'
      """;

  private final OncePerKey<Payment> once;
  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final Accounts accounts;
  private final TopUps topUps;
  private final SecureRandom random = new SecureRandom();

  Payments(TransactionTemplate transaction, JdbcClient jdbc, Accounts accounts, TopUps topUps) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.accounts = accounts;
    this.topUps = topUps;
    once = new OncePerKey<>(transaction, jdbc, KEY_LOCK, this::started);
  }

  /// The result of [#start].
  public sealed interface Start {
    /// The payment, started now or by an earlier request with this key.
    record Started(Payment payment, boolean isNew) implements Start {}

    /// The idempotency key was used for another payment.
    record KeyTaken() implements Start {}

    /// The account has [#OPEN_MAX] payments that are not paid.
    record TooMany() implements Start {}
  }

  /// Effect of an event.
  public enum Outcome {
    /// The payment was posted.
    POSTED,
    /// The event says that the user did not pay.
    FAILED,
    /// The same event came before.
    REPEATED,
    /// An event with this id, but with another body, came before.
    OTHER_BODY,
    /// There is no such payment.
    UNKNOWN_PAYMENT,
    /// The payment is of another account, or its account is closed.
    UNKNOWN_ACCOUNT,
    /// The amount is not that of the payment.
    WRONG_AMOUNT,
    /// Another event has paid the payment.
    PAID_BEFORE
  }

  /// Starts a payment. The account must exist.
  public Start start(String key, String account, MicroDenarii amount, Instant now) {
    return once.post(
        key,
        known ->
            known.account().equals(account) && known.amount().equals(amount)
                ? new Start.Started(known, false)
                : new Start.KeyTaken(),
        () -> startNew(key, account, amount, now));
  }

  private Start startNew(String key, String account, MicroDenarii amount, Instant now) {
    // Starts for one account wait for each other, so that together they stay within the bound.
    var unused = accounts.lock(account);
    int open =
        jdbc.sql(
                """
                select count(*) from payment p where p.account = ? and p.started_at > ?
                  and not exists (select from payment_event e where e.payment_id = p.id and e.kind = 'PAID')
                """)
            .param(account)
            .param(Timestamp.from(now.minus(OPEN_TIME)))
            .query(Integer.class)
            .single();
    if (open >= OPEN_MAX) {
      return new Start.TooMany();
    }
    byte[] id = new byte[ID_BYTES];
    random.nextBytes(id);
    jdbc.sql(
            "insert into payment (id, idempotency_key, account, amount_microdenarii, started_at)"
                + " values (:id, :key, :account, :amount, :now)")
        .param("id", HexFormat.of().formatHex(id))
        .param("key", key)
        .param("account", account)
        .param("amount", amount.value())
        .param("now", Timestamp.from(now))
        .update();
    return new Start.Started(started(key).orElseThrow(), true);
  }

  /// Takes an event whose signature is valid. Only an event that is taken is stored, so a refused
  /// one may come again when its reason has gone.
  public Outcome take(PaymentEvent event, Instant now) {
    return transaction.execute(_ -> {
      // Deliveries of one event, and events of one payment, wait for each other.
      lock(event.payment());
      Optional<byte[]> before =
          jdbc.sql("select digest from payment_event where event_id = ?")
              .param(event.id())
              .query((row, _) -> row.getBytes(1))
              .optional();
      if (before.isPresent()) {
        return MessageDigest.isEqual(before.get(), event.digest())
            ? Outcome.REPEATED
            : Outcome.OTHER_BODY;
      }
      Optional<Payment> payment = find(event.payment());
      if (payment.isEmpty()) {
        return Outcome.UNKNOWN_PAYMENT;
      }
      return takeNew(event, payment.get(), now);
    });
  }

  private Outcome takeNew(PaymentEvent event, Payment payment, Instant now) {
    boolean isOpen =
        accounts
            .find(payment.account())
            .filter(account -> account.state() != AccountState.CLOSED)
            .isPresent();
    if (!payment.account().equals(event.account()) || !isOpen) {
      return Outcome.UNKNOWN_ACCOUNT;
    }
    if (!payment.amount().equals(event.amount())) {
      return Outcome.WRONG_AMOUNT;
    }
    if (payment.state() == Payment.State.PAID) {
      return Outcome.PAID_BEFORE;
    }
    if (!event.isPaid()) {
      store(event, null, now);
      return Outcome.FAILED;
    }
    TopUps.Result posted =
        topUps.post(
            "payment:" + payment.id(),
            payment.account(),
            payment.amount(),
            "payment " + payment.id(),
            payment.account(),
            now);
    if (!(posted instanceof TopUps.Result.Posted(TopUps.TopUp topUp))) {
      throw new IllegalStateException("payment " + payment.id() + " was posted without an event");
    }
    store(event, topUp.transactionId(), now);
    return Outcome.POSTED;
  }

  private void store(PaymentEvent event, @Nullable Long transactionId, Instant now) {
    jdbc.sql(
            "insert into payment_event (event_id, digest, payment_id, kind, received_at, transaction_id)"
                + " values (:id, :digest, :payment, :kind, :now, :transaction)")
        .param("id", event.id())
        .param("digest", event.digest())
        .param("payment", event.payment())
        .param("kind", event.isPaid() ? "PAID" : "FAILED")
        .param("now", Timestamp.from(now))
        .param("transaction", transactionId)
        .update();
  }

  private void lock(String payment) {
    jdbc.sql("select pg_advisory_xact_lock(?, hashtext(?))")
        .param(PAYMENT_LOCK)
        .param(payment)
        .query(row -> {});
  }

  /// Returns a payment.
  public Optional<Payment> find(String id) {
    return jdbc.sql(SELECT + "where p.id = ?").param(id).query((row, _) -> payment(row)).optional();
  }

  private Optional<Payment> started(String key) {
    return jdbc.sql(SELECT + "where p.idempotency_key = ?")
        .param(key)
        .query((row, _) -> payment(row))
        .optional();
  }

  /// Returns the payments of an account, latest first.
  ///
  /// @param before number of the last one of the previous page
  public List<Payment> page(String account, long before, int limit) {
    return jdbc.sql(SELECT + "where p.account = ? and p.number < ? order by p.number desc limit ?")
        .param(account)
        .param(before)
        .param(limit)
        .query((row, _) -> payment(row))
        .list();
  }

  private static Payment payment(ResultSet row) throws SQLException {
    return new Payment(
        row.getString(1),
        row.getLong(2),
        row.getString(3),
        new MicroDenarii(row.getLong(4)),
        row.getTimestamp(5).toInstant(),
        Payment.State.valueOf(row.getString(6)),
        row.getObject(7, Long.class));
  }
}
