package io.viaduct.billing.voucher;

import io.viaduct.billing.account.OncePerKey;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.MicroDenarii;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes vouchers, redeems them, and ends those that nobody redeems. The ledger has what is owed to
/// the bearers in VOUCHERS: a sale moves VOUCHERS +X, ISSUANCE −X; a redemption USER +X, VOUCHERS
/// −X; an expiry OPERATOR:BREAKAGE +X, VOUCHERS −X; a return ISSUANCE +X, VOUCHERS −X.
public final class Vouchers {
  /// Most vouchers of one batch.
  public static final int VOUCHERS_MAX = 1000;

  private static final int KEY_LOCK = 0x766f7563;
  private static final int BATCH_LOCK = 0x76626174;

  /// Most batches that one periodic run lets expire.
  private static final int BATCHES_OF_RUN = 100;

  /// Another instance of billing, whose clock is behind, may make a batch that has expired here.
  private static final Duration CLOCKS_DIFFER_MAX = Duration.ofHours(1);

  private static final String BATCH =
      """
      select b.id, b.vouchers, b.amount_microdenarii, b.expires_at, b.note, b.made_by, b.made_at,
        count(e.how) filter (where e.how = 'REDEEMED'), count(e.how) filter (where e.how = 'EXPIRED'),
        count(e.how) filter (where e.how = 'RETURNED')
      from voucher_batch b join voucher v on v.batch_id = b.id left join voucher_end e on e.voucher_id = v.id
      """;

  private final OncePerKey<VoucherBatch> once;
  private final TransactionTemplate transaction;
  private final JdbcTemplate batches;
  private final JdbcClient jdbc;
  private final Ledger ledger;
  private final SecureRandom random = new SecureRandom();

  /// No batch that expired before it has an open voucher.
  private volatile Instant expiredUntil = Instant.EPOCH;

  Vouchers(TransactionTemplate transaction, JdbcTemplate batches, Ledger ledger) {
    this.transaction = transaction;
    this.batches = batches;
    this.ledger = ledger;
    jdbc = JdbcClient.create(batches);
    once = new OncePerKey<>(transaction, jdbc, KEY_LOCK, this::find);
  }

  /// Vouchers as an operator wants them.
  ///
  /// @param key the caller's idempotency key
  /// @param amount amount of each one
  public record Wanted(
      String key,
      int vouchers,
      MicroDenarii amount,
      Instant expiresAt,
      String note,
      String madeBy) {
    public Wanted {
      // The database keeps microseconds; a repeated request must be the same one.
      expiresAt = expiresAt.truncatedTo(ChronoUnit.MICROS);
    }

    private boolean isSameAs(VoucherBatch batch) {
      return batch.vouchers() == vouchers
          && batch.amount().equals(amount)
          && batch.expiresAt().equals(expiresAt)
          && batch.note().equals(note);
    }
  }

  /// The result of [#make].
  public sealed interface Made {
    /// Made now.
    ///
    /// @param codes the codes in the order of their numbers; billing keeps only their digests
    record Fresh(VoucherBatch batch, List<VoucherCode> codes) implements Made {}

    /// The same was made before. Its codes cannot be told again.
    record Before(VoucherBatch batch) implements Made {}

    /// The idempotency key was used for other vouchers.
    record KeyTaken() implements Made {}
  }

  /// The result of [#redeem].
  public sealed interface Redemption {
    /// The amount was posted, now or by an earlier request of the same account.
    ///
    /// @param isNew true if it was posted now
    record Posted(String serial, MicroDenarii amount, long transactionId, boolean isNew)
        implements Redemption {}

    /// There is no such voucher.
    record Unknown() implements Redemption {}

    /// Another account has redeemed it.
    record Used(String serial) implements Redemption {}

    /// It was not redeemed in time.
    record Expired(String serial, Instant at) implements Redemption {}

    /// The operator has taken it back.
    record Returned(String serial) implements Redemption {}
  }

  /// Makes vouchers and posts their sale, once for each key.
  public Made make(Wanted wanted, Instant now) {
    return once.post(
        wanted.key(),
        known -> wanted.isSameAs(known) ? new Made.Before(known) : new Made.KeyTaken(),
        () -> makeNew(wanted, now));
  }

  private Made makeNew(Wanted wanted, Instant now) {
    MicroDenarii sum = times(wanted.amount(), wanted.vouchers());
    long transactionId =
        ledger
            .post(List.of(LedgerTransaction.voucherSale(wanted.key(), sum, wanted.note())), now)
            .getFirst();
    long batch =
        jdbc.sql(
                """
                insert into voucher_batch (idempotency_key, vouchers, amount_microdenarii, expires_at, note, made_by, made_at,
                  transaction_id)
                values (:key, :vouchers, :amount, :expires, :note, :by, :now, :transaction) returning id
                """)
            .param("key", wanted.key())
            .param("vouchers", wanted.vouchers())
            .param("amount", wanted.amount().value())
            .param("expires", Timestamp.from(wanted.expiresAt()))
            .param("note", wanted.note())
            .param("by", wanted.madeBy())
            .param("now", Timestamp.from(now))
            .param("transaction", transactionId)
            .query(Long.class)
            .single();
    List<VoucherCode> codes =
        IntStream.range(0, wanted.vouchers()).mapToObj(_ -> VoucherCode.draw(random)).toList();
    batches.batchUpdate(
        "insert into voucher (batch_id, number, code_digest) values (?, ?, ?)",
        IntStream.range(0, codes.size())
            .mapToObj(i -> new Object[] {batch, i + 1, codes.get(i).digest()})
            .toList());
    return new Made.Fresh(find(batch).orElseThrow(), codes);
  }

  private record Found(
      long id,
      long batch,
      int number,
      MicroDenarii amount,
      Instant expiresAt,
      @Nullable String how,
      @Nullable String account,
      long transactionId) {}

  /// Redeems a voucher for an account, which must exist. The same account may ask again.
  public Redemption redeem(VoucherCode code, String account, Instant now) {
    return transaction.execute(_ -> {
      Optional<Long> batch =
          jdbc.sql("select batch_id from voucher where code_digest = ?")
              .param(code.digest())
              .query(Long.class)
              .optional();
      if (batch.isEmpty()) {
        return new Redemption.Unknown();
      }
      lock(batch.get());
      Found voucher = found(code);
      String serial = VoucherBatch.serial(voucher.batch(), voucher.number());
      return switch (voucher.how()) {
        case "REDEEMED" ->
            account.equals(voucher.account())
                ? new Redemption.Posted(serial, voucher.amount(), voucher.transactionId(), false)
                : new Redemption.Used(serial);
        case "RETURNED" -> new Redemption.Returned(serial);
        case null, default ->
            voucher.how() == null && now.isBefore(voucher.expiresAt())
                ? post(voucher, serial, account, now)
                : new Redemption.Expired(serial, voucher.expiresAt());
      };
    });
  }

  private Redemption post(Found voucher, String serial, String account, Instant now) {
    long transactionId =
        ledger
            .post(
                List.of(
                    LedgerTransaction.voucherRedemption(
                        voucher.id(), account, voucher.amount(), "voucher " + serial)),
                now)
            .getFirst();
    jdbc.sql("insert into voucher_end values (?, 'REDEEMED', ?, ?, ?)")
        .param(voucher.id())
        .param(account)
        .param(Timestamp.from(now))
        .param(transactionId)
        .update();
    return new Redemption.Posted(serial, voucher.amount(), transactionId, true);
  }

  private Found found(VoucherCode code) {
    return jdbc.sql(
            """
            select v.id, v.batch_id, v.number, b.amount_microdenarii, b.expires_at, e.how, e.account, e.transaction_id
            from voucher v join voucher_batch b on b.id = v.batch_id left join voucher_end e on e.voucher_id = v.id
            where v.code_digest = ?
            """)
        .param(code.digest())
        .query((row, _) ->
            new Found(
                row.getLong(1),
                row.getLong(2),
                row.getInt(3),
                new MicroDenarii(row.getLong(4)),
                row.getTimestamp(5).toInstant(),
                row.getString(6),
                row.getString(7),
                row.getLong(8)))
        .single();
  }

  /// Takes back the vouchers of a batch that are still open, for example because they were not sold
  /// or their sheet was lost.
  ///
  /// @return the batch afterwards; empty if there is none with this number
  public Optional<VoucherBatch> takeBack(long batch, String by, String reason, Instant now) {
    return transaction.execute(_ -> {
      Optional<VoucherBatch> known = find(batch);
      if (known.isEmpty()) {
        return known;
      }
      end(known.get(), "RETURNED", by + ": " + reason, now);
      return find(batch);
    });
  }

  /// Lets vouchers expire.
  void onClock(Instant now) {
    List<Long> expired =
        jdbc.sql(
                """
                select b.id from voucher_batch b where b.expires_at > :since and b.expires_at <= :now and exists (select from voucher v
                  left join voucher_end e on e.voucher_id = v.id where v.batch_id = b.id and e.voucher_id is null)
                order by b.expires_at limit :most
                """)
            .param("since", Timestamp.from(expiredUntil))
            .param("now", Timestamp.from(now))
            .param("most", BATCHES_OF_RUN)
            .query(Long.class)
            .list();
    expired.forEach(batch ->
        transaction.executeWithoutResult(
            _ -> end(find(batch).orElseThrow(), "EXPIRED", "batch " + batch, now)));
    if (expired.size() < BATCHES_OF_RUN) {
      expiredUntil = now.minus(CLOCKS_DIFFER_MAX);
    }
  }

  // Counts again under the lock: a redemption may have come between.
  private void end(VoucherBatch batch, String how, String note, Instant now) {
    lock(batch.id());
    int open = find(batch.id()).orElseThrow().open();
    if (open == 0) {
      return;
    }
    MicroDenarii sum = times(batch.amount(), open);
    long transactionId =
        ledger
            .post(
                List.of(
                    how.equals("EXPIRED")
                        ? LedgerTransaction.voucherExpiry(batch.id(), sum, note)
                        : LedgerTransaction.voucherReturn(batch.id(), sum, note)),
                now)
            .getFirst();
    jdbc.sql(
            """
            insert into voucher_end select v.id, :how, null, :now, :transaction
            from voucher v left join voucher_end e on e.voucher_id = v.id where v.batch_id = :batch and e.voucher_id is null
            """)
        .param("how", how)
        .param("now", Timestamp.from(now))
        .param("transaction", transactionId)
        .param("batch", batch.id())
        .update();
  }

  // Everything that ends a voucher of a batch waits here.
  private void lock(long batch) {
    jdbc.sql("select pg_advisory_xact_lock(?, hashint8(?))")
        .param(BATCH_LOCK)
        .param(batch)
        .query(row -> {});
  }

  private static MicroDenarii times(MicroDenarii amount, int vouchers) {
    return new MicroDenarii(Math.multiplyExact(amount.value(), (long) vouchers));
  }

  /// Returns a batch.
  public Optional<VoucherBatch> find(long batch) {
    return jdbc.sql(BATCH + "where b.id = ? group by b.id")
        .param(batch)
        .query((row, _) -> batch(row))
        .optional();
  }

  private Optional<VoucherBatch> find(String key) {
    return jdbc.sql(BATCH + "where b.idempotency_key = ? group by b.id")
        .param(key)
        .query((row, _) -> batch(row))
        .optional();
  }

  /// Returns batches, latest first.
  ///
  /// @param before number of the last batch of the previous page
  public List<VoucherBatch> page(long before, int limit) {
    return jdbc.sql(BATCH + "where b.id < ? group by b.id order by b.id desc limit ?")
        .param(before)
        .param(limit)
        .query((row, _) -> batch(row))
        .list();
  }

  private static VoucherBatch batch(ResultSet row) throws SQLException {
    int vouchers = row.getInt(2);
    int redeemed = row.getInt(8);
    int expired = row.getInt(9);
    int returned = row.getInt(10);
    return new VoucherBatch(
        row.getLong(1),
        vouchers,
        new MicroDenarii(row.getLong(3)),
        row.getTimestamp(4).toInstant(),
        row.getString(5),
        row.getString(6),
        row.getTimestamp(7).toInstant(),
        vouchers - redeemed - expired - returned,
        redeemed,
        expired,
        returned);
  }
}
