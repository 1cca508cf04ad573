package io.viaduct.billing.receipts;

import com.google.protobuf.ByteString;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.statement.StatementCharge;
import io.viaduct.usage.statement.StatementReceipt;
import java.security.SecureRandom;
import java.sql.Timestamp;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Adds the movements that wait to the chains of their accounts. One instance at a time holds the
/// seal's lock, apart from the locks of posting. A round is one transaction: a process that dies
/// leaves its movements waiting.
public final class ReceiptSealer {
  /// Most movements of one round.
  private static final int ROUND = 2000;

  /// Most signatures of one round. With more accounts in a round, the others' links are covered by
  /// later signatures, by that of the file, and by the root.
  private static final int SIGNED = 500;

  /// Most movements that [#waiting] counts.
  private static final int COUNTED_MAX = 100_000;

  /// Advisory lock of everything that changes a chain or publishes a root.
  private static final long LOCK = 0x76696164_72637074L; // any number that nothing else takes

  private final TransactionTemplate transaction;
  private final JdbcTemplate batches;
  private final JdbcClient jdbc;
  private final StatementKey key;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();

  public ReceiptSealer(
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

  /// Seals all movements that wait.
  public void seal() {
    while (transaction.execute(_ -> round()) == ROUND) {
      // more wait
    }
  }

  /// Counts the movements without a receipt, up to a limit.
  public long waiting() {
    return jdbc.sql("select count(*) from (select from receipt_waiting limit ?) waiting")
        .param(COUNTED_MAX)
        .query(Long.class)
        .single();
  }

  /// Takes the seal's lock until the end of the transaction.
  ///
  /// @return false if another instance has it
  static boolean isAlone(JdbcClient jdbc) {
    return jdbc.sql("select pg_try_advisory_xact_lock(?)")
        .param(LOCK)
        .query(Boolean.class)
        .single();
  }

  /// Returns the day that links are sealed for; at the first seal, today in UTC.
  static LocalDate openDay(JdbcClient jdbc, InstantSource clock) {
    jdbc.sql("insert into receipt_day (open_day) values (?) on conflict do nothing")
        .param(LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC))
        .update();
    return jdbc.sql("select open_day from receipt_day").query(LocalDate.class).single();
  }

  private int round() {
    if (!isAlone(jdbc)) {
      return 0;
    }
    LocalDate day = openDay(jdbc, clock);
    List<Movement> movements = read(day);
    if (!movements.isEmpty()) {
      store(movements, links(movements), day);
    }
    return movements.size();
  }

  // A movement of a later day waits until the day before is closed, so that the root of a day
  // covers
  // what was posted on it. Ids tell the month of a bill first (ADR 0059), so a round is put in the
  // order of its times.
  private List<Movement> read(LocalDate day) {
    return jdbc
        .sql(
            "select w.account, "
                + Movement.COLUMNS.formatted("w")
                + " from receipt_waiting w join ledger_transaction t on t.id = w.transaction_id"
                + " where t.posted_at < ? order by w.transaction_id, w.account limit ?")
        .param(Timestamp.from(day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant()))
        .param(ROUND)
        .query((row, _) -> Movement.of(row, row.getString("account")))
        .stream()
        .sorted(Comparator.comparing(Movement::postedAt).thenComparing(Movement::transaction))
        .toList();
  }

  /// The last link of a chain.
  private record Head(long number, ByteString hash, long balance) {}

  private record Link(Movement movement, StatementReceipt receipt, ByteString hash) {}

  private List<Link> links(List<Movement> movements) {
    PostedBills bills = PostedBills.of(jdbc, movements);
    Map<String, Head> heads =
        heads(new TreeSet<>(movements.stream().map(Movement::account).toList()));
    List<Link> links = new ArrayList<>();
    for (Movement movement : movements) {
      Head before = Objects.requireNonNull(heads.get(movement.account()));
      List<StatementCharge> charges = bills.charges(movement);
      StatementReceipt receipt =
          new StatementReceipt(
              before.number() + 1,
              before.hash(),
              movement.postedMicros(),
              movement.kind(),
              movement.identity(),
              movement.note(),
              movement.amount(),
              Math.addExact(before.balance(), movement.amount()),
              bills.report(movement),
              charges.isEmpty() ? ByteString.EMPTY : StatementCharge.digest(charges));
      ByteString hash = receipt.hash();
      links.add(new Link(movement, receipt, hash));
      heads.put(movement.account(), new Head(receipt.number(), hash, receipt.balance()));
    }
    return links;
  }

  private Map<String, Head> heads(TreeSet<String> accounts) {
    Map<String, Head> heads = new HashMap<>();
    jdbc.sql(
            """
            select c.account, %s, l.number, l.hash, l.balance_microdenarii from receipt_chain c
            left join lateral (select * from receipt_link k where k.account = c.account order by k.number desc limit 1) l on true
            where c.account = any(?)
            """
                .formatted(Genesis.COLUMNS))
        .param(accounts.toArray(String[]::new))
        .query(row -> {
          String account = row.getString("account");
          ByteString hash = Genesis.octets(row, "hash");
          heads.put(
              account,
              hash.isEmpty()
                  ? begin(Genesis.of(row, account))
                  : new Head(row.getLong("number"), hash, row.getLong("balance_microdenarii")));
        });
    accounts.removeAll(heads.keySet());
    openChains(accounts, heads);
    return heads;
  }

  private void openChains(TreeSet<String> accounts, Map<String, Head> heads) {
    if (accounts.isEmpty()) {
      return;
    }
    long position =
        jdbc.sql("select coalesce(max(position) + 1, 0) from receipt_chain")
            .query(Long.class)
            .single();
    List<Object[]> rows = new ArrayList<>();
    for (String account : accounts) {
      byte[] salt = new byte[StatementReceipt.HASH_LENGTH];
      random.nextBytes(salt);
      rows.add(new Object[] {account, position, salt});
      position++;
      heads.put(account, begin(StatementReceipt.genesis(account, ByteString.copyFrom(salt))));
    }
    batches.batchUpdate(
        "insert into receipt_chain (account, position, salt) values (?, ?, ?)", rows);
  }

  private static Head begin(ByteString genesis) {
    return new Head(0, genesis, 0);
  }

  // A signature of an account's last link covers the links before, which its hash covers.
  private void store(List<Movement> movements, List<Link> links, LocalDate day) {
    Map<String, Link> last = new LinkedHashMap<>();
    links.forEach(link -> last.put(link.movement().account(), link));
    Set<Link> signed = last.values().stream().limit(SIGNED).collect(Collectors.toSet());
    keepKey(jdbc, key, clock);
    batches.batchUpdate(
        "insert into receipt_link (account, number, transaction_id, day, balance_microdenarii, report,"
            + " charges, hash, signature) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        links.stream().map(link -> row(link, day, signed.contains(link))).toList());
    jdbc.sql(
            "delete from receipt_waiting w using unnest(?::bigint[], ?::text[]) u(transaction_id, account)"
                + " where (w.transaction_id, w.account) = (u.transaction_id, u.account)")
        .param(movements.stream().map(Movement::transaction).toArray(Long[]::new))
        .param(movements.stream().map(Movement::account).toArray(String[]::new))
        .update();
  }

  private Object[] row(Link link, LocalDate day, boolean isSigned) {
    StatementReceipt receipt = link.receipt();
    return new Object[] {
      link.movement().account(),
      receipt.number(),
      link.movement().transaction(),
      day,
      receipt.balance(),
      receipt.report().toByteArray(),
      receipt.charges().toByteArray(),
      link.hash().toByteArray(),
      isSigned ? key.sign(SignedMessage.STATEMENT_RECEIPT, link.hash()).toByteArray() : null
    };
  }

  /// Records the public key before its first signature is stored.
  static void keepKey(JdbcClient jdbc, StatementKey key, InstantSource clock) {
    jdbc.sql(
            "insert into receipt_key (public_key, first_used_at) values (?, ?) on conflict do nothing")
        .param(key.publicKey().toByteArray())
        .param(Timestamp.from(clock.instant()))
        .update();
  }
}
