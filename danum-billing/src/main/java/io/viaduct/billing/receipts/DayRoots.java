package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.statement.MerkleTree;
import io.viaduct.usage.statement.StatementRoot;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Publishes the root of each day over the chains of all accounts, and reads roots and proofs. A
/// published root is never changed: the database refuses it. A day on which billing did not run has
/// no root; the next one covers it.
public final class DayRoots {
  /// Time after midnight until a day is closed: transactions that began before it have ended.
  static final Duration CLOSING = Duration.ofMinutes(2);

  private static final Logger LOG = LoggerFactory.getLogger(DayRoots.class);

  private final TransactionTemplate transaction;
  private final JdbcTemplate batches;
  private final JdbcClient jdbc;
  private final StatementKey key;
  private final InstantSource clock;

  public DayRoots(
      TransactionTemplate transaction,
      JdbcTemplate batches,
      StatementKey key,
      InstantSource clock) {
    this.transaction = transaction;
    this.batches = batches;
    this.jdbc = JdbcClient.create(batches);
    this.key = key;
    this.clock = clock;
  }

  /// Closes the open day if it is over and all that was posted on it is sealed.
  public void publishDue() {
    Optional<PublishedRoot> published = transaction.execute(_ -> close());
    published.ifPresent(root ->
        LOG.info(
            "the root of the statements of {} is {}, signed by {}",
            root.root().day(),
            Hex.of(root.hash()),
            root.fingerprint()));
  }

  private Optional<PublishedRoot> close() {
    if (!ReceiptSealer.isAlone(jdbc)) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    LocalDate day = ReceiptSealer.openDay(jdbc, clock);
    Instant end = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    if (now.isBefore(end.plus(CLOSING)) || isWaiting(end)) {
      return Optional.empty();
    }
    LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
    jdbc.sql("update receipt_day set open_day = ?").param(today).update();
    List<ByteString> leaves = leaves(jdbc, day);
    return leaves.isEmpty() ? Optional.empty() : Optional.of(publish(day, leaves, now));
  }

  private boolean isWaiting(Instant end) {
    return jdbc.sql(
            "select exists (select from receipt_waiting w join ledger_transaction t on t.id = w.transaction_id"
                + " where t.posted_at < ?)")
        .param(Timestamp.from(end))
        .query(Boolean.class)
        .single();
  }

  /// Returns the leaves of all accounts by their positions: their last links until the end of a
  /// day.
  static List<ByteString> leaves(JdbcClient jdbc, LocalDate day) {
    return jdbc.sql(
            """
            select c.account, %s, l.number, l.hash from receipt_chain c
            cross join lateral (select * from receipt_link k where k.account = c.account and k.day <= ?
              order by k.number desc limit 1) l
            order by c.position
            """
                .formatted(Genesis.COLUMNS))
        .param(day)
        .query((row, _) ->
            StatementRoot.leaf(
                Genesis.of(row, row.getString("account")),
                row.getLong("number"),
                ByteString.copyFrom(row.getBytes("hash"))))
        .list();
  }

  private PublishedRoot publish(LocalDate day, List<ByteString> leaves, Instant now) {
    List<List<ByteString>> levels = MerkleTree.levels(leaves);
    ByteString previous =
        jdbc.sql("select hash from receipt_root order by day desc limit 1")
            .query((row, _) -> ByteString.copyFrom(row.getBytes(1)))
            .optional()
            .orElse(ByteString.EMPTY);
    StatementRoot root =
        new StatementRoot(day, leaves.size(), levels.getLast().getFirst(), previous);
    ByteString hash = root.hash();
    PublishedRoot published =
        new PublishedRoot(
            root, hash, key.sign(SignedMessage.STATEMENT_ROOT, hash), key.publicKey(), now);
    ReceiptSealer.keepKey(jdbc, key, clock);
    jdbc.sql(
            "insert into receipt_root ("
                + PublishedRoot.COLUMNS
                + ") values (?, ?, ?, ?, ?, ?, ?, ?)")
        .params(
            day,
            root.accounts(),
            root.tree().toByteArray(),
            previous.toByteArray(),
            hash.toByteArray(),
            published.signature().toByteArray(),
            published.publicKey().toByteArray(),
            Timestamp.from(now))
        .update();
    List<Object[]> rows = new ArrayList<>();
    for (int height = 0; height < levels.size(); height++) {
      rows.add(new Object[] {day, height, ByteString.copyFrom(levels.get(height)).toByteArray()});
    }
    batches.batchUpdate("insert into receipt_level (day, level, hashes) values (?, ?, ?)", rows);
    return published;
  }

  /// Returns roots, the latest first.
  ///
  /// @param before only days before this one
  public List<PublishedRoot> latest(LocalDate before, int limit) {
    return jdbc.sql(
            "select "
                + PublishedRoot.COLUMNS
                + " from receipt_root where day < ? order by day desc limit ?")
        .params(before, limit)
        .query((row, _) -> PublishedRoot.of(row))
        .list();
  }

  /// Returns the roots of days, the first one first.
  List<PublishedRoot> between(LocalDate from, LocalDate to) {
    return jdbc.sql(
            "select "
                + PublishedRoot.COLUMNS
                + " from receipt_root where day between ? and ? order by day")
        .params(from, to)
        .query((row, _) -> PublishedRoot.of(row))
        .list();
  }

  /// Returns the siblings on the way from the leaf at a position to the root of a day.
  List<ByteString> proof(LocalDate day, long position) {
    return jdbc
        .sql(
            """
            select substring(hashes from (((? >> level) # 1) * 32 + 1)::integer for 32) from receipt_level
            where day = ? order by level
            """)
        .params(position, day)
        .query((row, _) -> ByteString.copyFrom(row.getBytes(1)))
        .list()
        .stream()
        .filter(hash -> !hash.isEmpty())
        .toList();
  }
}
