package io.viaduct.billing.wallet;

import io.viaduct.billing.credit.CreditLock;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Opens wallets and lets them expire. A grant moves USER +X, OPERATOR:GRANTS −X; what is left at
/// the expiry moves back.
public final class Grants {
  /// Most wallets that one periodic run opens or lets expire.
  private static final int WALLETS_OF_RUN = 500;

  /// Longest time for which a wallet waits for the reports of use from before its end.
  private static final Duration WAIT_MAX = Duration.ofMinutes(10);

  private final TransactionTemplate transaction;
  private final JdbcClient jdbc;
  private final Ledger ledger;
  private final Wallets wallets;

  public Grants(TransactionTemplate transaction, JdbcClient jdbc, Ledger ledger, Wallets wallets) {
    this.transaction = transaction;
    this.jdbc = jdbc;
    this.ledger = ledger;
    this.wallets = wallets;
  }

  /// A grant as an operator wants it.
  ///
  /// @param key the caller's idempotency key, unique over all accounts
  /// @param reason for the user
  public record Wanted(
      String key,
      String account,
      MicroDenarii amount,
      Instant expiresAt,
      String reason,
      String createdBy) {
    public Wanted {
      // The database keeps microseconds; a repeated request must be the same one.
      expiresAt = expiresAt.truncatedTo(ChronoUnit.MICROS);
    }

    private boolean isSameAs(Wallet wallet) {
      return wallet.account().equals(account)
          && wallet.amount().equals(amount)
          && wallet.expiresAt().equals(expiresAt)
          && wallet.reason().equals(reason);
    }
  }

  /// The result of [#grant].
  public sealed interface Result {
    /// Granted now.
    record Granted(Wallet wallet) implements Result {}

    /// The same was granted before.
    record AlreadyGranted(Wallet wallet) implements Result {}

    /// The idempotency key was used for another grant.
    record KeyTaken() implements Result {}
  }

  /// Opens a wallet. The account must exist.
  public Result grant(Wanted wanted, Instant now) {
    return grant(Wallet.Kind.GRANT, "grant:" + wanted.key(), wanted, now);
  }

  private Result grant(Wallet.Kind kind, String key, Wanted wanted, Instant now) {
    return transaction.execute(_ -> {
      CreditLock.take(jdbc, List.of(wanted.account()));
      int isFree =
          jdbc.sql("select count(*) from wallet where idempotency_key = ?")
              .param(key)
              .query(Integer.class)
              .single();
      if (isFree == 0) {
        open(kind, key, wanted, now);
        return new Result.Granted(wallets.granted(key).orElseThrow());
      }
      Wallet known = wallets.granted(key).orElseThrow();
      return wanted.isSameAs(known) ? new Result.AlreadyGranted(known) : new Result.KeyTaken();
    });
  }

  private void open(Wallet.Kind kind, String key, Wanted wanted, Instant now) {
    long transactionId =
        ledger
            .post(
                List.of(
                    LedgerTransaction.grant(
                        key, wanted.account(), wanted.amount(), wanted.reason())),
                now)
            .getFirst();
    jdbc.sql(
            """
            insert into wallet (idempotency_key, account, kind, amount_microdenarii, granted_at, expires_at, reason,
              created_by, transaction_id)
            values (:key, :account, :kind, :amount, :now, :expires, :reason, :createdBy, :transaction)
            """)
        .param("key", key)
        .param("account", wanted.account())
        .param("kind", kind.name())
        .param("amount", wanted.amount().value())
        .param("now", Timestamp.from(now))
        .param("expires", Timestamp.from(wanted.expiresAt()))
        .param("reason", wanted.reason())
        .param("createdBy", wanted.createdBy())
        .param("transaction", transactionId)
        .update();
  }

  /// Sets what an account is granted each month, from this month on unless it was granted already.
  ///
  /// @param version version of the allowance that the caller knows; null if there is none
  /// @return the new version; empty if the account's allowance is of another one
  public Optional<Long> allow(
      String account, MicroDenarii amount, @Nullable Long version, String changedBy, Instant now) {
    Optional<Long> stored =
        jdbc.sql(
                version == null
                    ? """
                    insert into allowance (account, amount_microdenarii, changed_by, changed_at)
                    values (:account, :amount, :by, :now) on conflict do nothing returning version
                    """
                    : """
                    update allowance set amount_microdenarii = :amount, changed_by = :by, changed_at = :now,
                      version = nextval('allowance_version')
                    where account = :account and version = :version returning version
                    """)
            .param("account", account)
            .param("amount", amount.value())
            .param("by", changedBy)
            .param("now", Timestamp.from(now))
            .param("version", version)
            .query(Long.class)
            .optional();
    if (stored.isPresent()) {
      allowance(new Allowed(account, amount, changedBy), now);
    }
    return stored;
  }

  /// Amount that an account is granted each month.
  ///
  /// @param version rises with each change
  public record Allowance(MicroDenarii amount, long version) {}

  /// Ends the monthly grants of an account. This month's wallet stays.
  ///
  /// @param version version of the allowance that the caller knows
  /// @return false if it has none of that version
  public boolean disallow(String account, long version) {
    return jdbc.sql("delete from allowance where account = ? and version = ?")
            .param(account)
            .param(version)
            .update()
        == 1;
  }

  /// Returns the allowance of an account; empty if it has none.
  public Optional<Allowance> allowance(String account) {
    return jdbc.sql("select amount_microdenarii, version from allowance where account = ?")
        .param(account)
        .query((row, _) -> new Allowance(new MicroDenarii(row.getLong(1)), row.getLong(2)))
        .optional();
  }

  private record Allowed(String account, MicroDenarii amount, String by) {}

  /// Lets wallets expire, and opens those of a new month.
  void onClock(Instant now) {
    expireDue(now);
    jdbc.sql(
            """
            select a.account, a.amount_microdenarii, a.changed_by from allowance a join account c on c.id = a.account
            where c.state <> 'closed' and not exists (select from wallet w
              where w.idempotency_key = 'allowance:' || a.account || ':' || :month) limit :most
            """)
        .param("month", month(now).toString())
        .param("most", WALLETS_OF_RUN)
        .query((row, _) ->
            new Allowed(row.getString(1), new MicroDenarii(row.getLong(2)), row.getString(3)))
        .list()
        .forEach(allowed -> allowance(allowed, now));
  }

  /// Lets wallets expire.
  public void expireDue(Instant now) {
    wallets
        .overdue(now, now.minus(WAIT_MAX), WALLETS_OF_RUN)
        .forEach(wallet -> expire(wallet.id(), now));
  }

  private void allowance(Allowed allowed, Instant now) {
    YearMonth month = month(now);
    String key = "allowance:%s:%s".formatted(allowed.account(), month);
    Instant end = month.plusMonths(1).atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    var unused =
        grant(
            Wallet.Kind.ALLOWANCE,
            key,
            new Wanted(
                key,
                allowed.account(),
                allowed.amount(),
                end,
                "allowance of " + month,
                allowed.by()),
            now);
  }

  private static YearMonth month(Instant now) {
    return YearMonth.from(now.atZone(ZoneOffset.UTC));
  }

  // Reads the wallet again under the lock: a charge may have drawn from it since.
  private void expire(long id, Instant now) {
    transaction.executeWithoutResult(_ -> {
      CreditLock.take(
          jdbc,
          jdbc.sql("select account from wallet where id = ?").param(id).query(String.class).list());
      wallets
          .open(id)
          .ifPresent(wallet -> {
            List<Long> posted =
                ledger.post(
                    List.of(LedgerTransaction.expiry(id, wallet.account(), wallet.rest())), now);
            jdbc.sql("insert into wallet_expiry values (?, ?, ?, ?)")
                .param(id)
                .param(wallet.rest().value())
                .param(Timestamp.from(now))
                .param(posted.isEmpty() ? null : posted.getFirst())
                .update();
          });
    });
  }
}
