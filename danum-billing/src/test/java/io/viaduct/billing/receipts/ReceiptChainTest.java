package io.viaduct.billing.receipts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerTransaction;
import io.viaduct.billing.ledger.LedgerVerification.Check;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.denarii.statement.Finding;
import io.viaduct.denarii.statement.Rule;
import io.viaduct.denarii.statement.StatementCheck;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/// Chains and roots on a real PostgreSQL, one method after the other on the same chains.
class ReceiptChainTest {
  private static final StatementKey KEY = new StatementKey(new byte[32]);
  private static OwnDatabase database;
  private static int serial;
  private static final ManualClock CLOCK = new ManualClock();

  private final JdbcTemplate jdbc = database.jdbc();
  private final JdbcClient client = JdbcClient.create(jdbc);
  private final TransactionTemplate transaction = database.transaction();
  private final Ledger ledger = new Ledger(jdbc);
  private final ReceiptSealer sealer = new ReceiptSealer(transaction, jdbc, KEY, CLOCK);
  private final DayRoots roots = new DayRoots(transaction, jdbc, KEY, CLOCK);
  private final StatementFiles files =
      new StatementFiles(
          client, new Snapshot(transaction.getTransactionManager()), roots, KEY, CLOCK);
  private String alice = "";

  @BeforeAll
  static void open() {
    database = new OwnDatabase();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @BeforeEach
  void openAccount() {
    serial++;
    alice = account("alice-" + serial);
  }

  private String account(String id) {
    jdbc.update(
        "insert into account (id, display_name, role, created_at) values (?, '', 'user', now())",
        id);
    ledger.open(List.of(LedgerAccount.user(id)), CLOCK.instant());
    return id;
  }

  private void topUp(String account, long amount) {
    transaction.executeWithoutResult(_ ->
        ledger.post(
            List.of(
                LedgerTransaction.topUp(
                    account + "-" + serial + "-" + amount,
                    account,
                    new MicroDenarii(amount),
                    "note")),
            CLOCK.instant()));
  }

  private byte[] file(String account, @Nullable LocalDate from, @Nullable LocalDate to) {
    try {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      files.write(account, from, to, out);
      return out.toByteArray();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static StatementCheck.Result check(byte[] file, Map<LocalDate, ByteString> published) {
    try {
      return StatementCheck.of(
          new ByteArrayInputStream(file),
          new StatementCheck.Known(published, Map.of(), Set.of(KEY.publicKey()), Set.of()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<Check> broken() {
    return new Snapshot(transaction.getTransactionManager())
        .read(() ->
            ReceiptVerification.checks(client).stream()
                .map(check -> check.check())
                .filter(check -> !check.holds())
                .toList());
  }

  private static LocalDate today() {
    return LocalDate.ofInstant(CLOCK.instant(), ZoneOffset.UTC);
  }

  private PublishedRoot endOfDay() {
    sealer.seal();
    LocalDate day = ReceiptSealer.openDay(client, CLOCK);
    Instant end = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    CLOCK.advance(Duration.between(CLOCK.instant(), end.plus(DayRoots.CLOSING)));
    roots.publishDue();
    PublishedRoot published = roots.latest(LocalDate.of(9999, 1, 1), 1).getFirst();
    assertThat(published.root().day()).isEqualTo(day);
    return published;
  }

  @Test
  void severalInstancesSealWhatManyPostWithoutAForkOrAGap() {
    String bob = account("bob-" + serial);
    Stream<CompletableFuture<Void>> posters =
        IntStream.range(0, 4)
            .mapToObj(n ->
                CompletableFuture.runAsync(() -> {
                  for (int i = 1; i <= 25; i++) {
                    topUp(n % 2 == 0 ? alice : bob, 100L * n + i);
                  }
                }));
    Stream<CompletableFuture<Void>> sealers =
        IntStream.range(0, 3)
            .mapToObj(_ ->
                CompletableFuture.runAsync(() -> {
                  ReceiptSealer other = new ReceiptSealer(transaction, jdbc, KEY, CLOCK);
                  for (int i = 0; i < 20; i++) {
                    other.seal();
                  }
                }));
    Stream.concat(posters, sealers).toList().forEach(CompletableFuture::join);
    sealer.seal();
    assertThat(sealer.waiting()).isZero();
    for (String account : List.of(alice, bob)) {
      StatementCheck.Result result = check(file(account, null, null), Map.of());
      assertThat(result.findings()).isEmpty();
      assertThat(result.receipts()).isEqualTo(50);
      assertThat(result.balance()).isEqualTo(ledger.balance(LedgerAccount.user(account)).value());
    }
    assertThat(broken()).isEmpty();
  }

  @Test
  void aSealThatDiesLeavesItsMovementsToTheNextOne() {
    topUp(alice, 7);
    TransactionTemplate dying = database.transaction();
    assertThatThrownBy(() ->
            dying.executeWithoutResult((TransactionStatus _) -> {
              sealer.seal();
              throw new IllegalStateException("killed");
            }))
        .hasMessage("killed");
    assertThat(check(file(alice, null, null), Map.of()).receipts()).isZero();
    sealer.seal();
    sealer.seal();
    assertThat(check(file(alice, null, null), Map.of()).receipts()).isEqualTo(1);
    assertThat(broken()).isEmpty();
  }

  @Test
  void thePublishedRootsCoverTheStatementDayByDayAndAPartBeginsAtARoot() {
    topUp(alice, 1);
    LocalDate first = today();
    PublishedRoot one = endOfDay();
    topUp(alice, 2);
    topUp(alice, 3);
    PublishedRoot two = endOfDay();
    PublishedRoot three = endOfDay(); // a day without a movement
    topUp(alice, 4);
    sealer.seal();
    Map<LocalDate, ByteString> published =
        Map.of(
            one.root().day(), one.hash(),
            two.root().day(), two.hash(),
            three.root().day(), three.hash());
    StatementCheck.Result all = check(file(alice, null, null), published);
    assertThat(all.findings()).isEmpty();
    assertThat(all.receipts()).isEqualTo(4);
    assertThat(all.covered()).isEqualTo(3);

    StatementCheck.Result part =
        check(
            file(alice, first.plusDays(1), first.plusDays(2)),
            Map.of(two.root().day(), two.hash()));
    assertThat(part.findings()).isEmpty();
    assertThat(part.first()).as("the one that the root before covers").isEqualTo(1);
    assertThat(part.last()).isEqualTo(3);
    assertThat(part.roots()).containsKeys(one.root().day(), two.root().day());

    StatementCheck.Result cut = check(file(alice, null, first), published);
    assertThat(cut.findings())
        .extracting(Finding::detail)
        .containsExactly(
            "the file does not have the root of %s: receipts may be missing at its end"
                .formatted(two.root().day()),
            "the file does not have the root of %s: receipts may be missing at its end"
                .formatted(three.root().day()));
    assertThat(broken()).isEmpty();
  }

  @Test
  void aMovementOfTheNextDayWaitsUntilTheDayIsClosedAndTheRootStays() {
    topUp(alice, 1);
    sealer.seal();
    LocalDate day = ReceiptSealer.openDay(client, CLOCK);
    Instant midnight = day.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant();
    CLOCK.advance(Duration.between(CLOCK.instant(), midnight.plusSeconds(1)));
    topUp(alice, 2);
    sealer.seal();
    roots.publishDue();
    assertThat(sealer.waiting()).isEqualTo(1);
    PublishedRoot published = endOfDay();
    sealer.seal();
    assertThat(sealer.waiting()).isZero();
    assertThat(check(file(alice, null, null), Map.of(day, published.hash())).covered())
        .isEqualTo(1);
    assertThatThrownBy(() -> jdbc.update("update receipt_root set hash = hash"))
        .hasStackTraceContaining("permission denied");
    assertThatThrownBy(() -> jdbc.update("delete from receipt_link"))
        .hasStackTraceContaining("permission denied");
  }

  @Test
  void rootsAreWrittenToFilesOnceAndNeverAgain(@TempDir Path directory) throws Exception {
    topUp(alice, 1);
    PublishedRoot published = endOfDay();
    new RootFiles(directory, roots).write();
    Path file = directory.resolve(published.root().day() + ".json");
    assertThat(Files.readString(file)).contains(Hex.of(published.hash()));
    assertThat(io.viaduct.denarii.statement.PublishedRoots.read(directory))
        .containsEntry(published.root().day(), published.hash());
    Files.writeString(file, "{\"root\":\"other\"}");
    new RootFiles(directory, roots).write();
    assertThat(Files.readString(file)).isEqualTo("{\"root\":\"other\"}");
  }

  @Test
  void theVerificationFindsWhatSomebodyWithTheTablesHasChanged() {
    topUp(alice, 1);
    topUp(alice, 2);
    endOfDay();
    assertThat(broken()).isEmpty();
    long transaction =
        jdbc.queryForObject(
            "select max(transaction_id) from receipt_link where account = ?", Long.class, alice);
    String posting = "where transaction_id = " + transaction;
    found(
        "update posting set amount_microdenarii = 2 * amount_microdenarii " + posting,
        "update posting set amount_microdenarii = amount_microdenarii / 2 " + posting,
        "receipts");
    String head = "where id = " + transaction;
    found(
        "update ledger_transaction set note = 'other' " + head,
        "update ledger_transaction set note = 'note' " + head,
        "receipts");
    found(
        "update receipt_link set account = 'nobody' " + posting,
        "update receipt_link set account = '" + alice + "' " + posting,
        "receipts");
    found(
        "update receipt_root set accounts = accounts + 1",
        "update receipt_root set accounts = accounts - 1",
        "statement-roots");
    assertThat(broken()).isEmpty();
  }

  private void found(String change, String back, String code) {
    database.forge(change);
    assertThat(broken()).as(change).extracting(Check::code).contains(code);
    database.forge(back);
  }

  /// The sealer reads its clock again after the movements and before it stores their links.
  @Test
  void aUserWhoIsErasedDuringASealHasOneReceiptOfEachPosting() throws Exception {
    topUp(alice, 5_000_000);
    jdbc.update(
        "update account set state = 'closed', password_hash = null, sip_secret = 'none'"
            + " where id = ?",
        alice);
    String pseudonym = "erased-" + serial;
    AtomicInteger reads = new AtomicInteger();
    AtomicReference<CompletableFuture<String>> erasure = new AtomicReference<>();
    new ReceiptSealer(
            transaction,
            jdbc,
            KEY,
            () -> {
              if (reads.incrementAndGet() == 2) {
                CompletableFuture<String> begun =
                    CompletableFuture.supplyAsync(() -> erase(alice, pseudonym));
                erasure.set(begun);
                await().until(() -> begun.isDone() || waitsForALock());
              }
              return CLOCK.instant();
            })
        .seal();
    assertThat(erasure.get().get(10, TimeUnit.SECONDS)).as("reason to refuse").isEmpty();
    sealer.seal();
    assertThat(broken()).isEmpty();
    assertThat(links(alice)).isZero();
    assertThat(links(pseudonym)).isEqualTo(1);
  }

  @Test
  void anErasedUserWhomAPublishedRootCoversIsVerifiedAndHasARightStatement() {
    topUp(alice, 5_000_000);
    topUp(alice, 3);
    PublishedRoot before = endOfDay();
    jdbc.update(
        "update account set state = 'closed', password_hash = null, sip_secret = 'none'"
            + " where id = ?",
        alice);
    String pseudonym = "erased-" + serial;
    assertThat(erase(alice, pseudonym)).isEmpty();

    assertThat(broken()).as("with the root of before as the latest one").isEmpty();
    StatementCheck.Result own =
        check(file(pseudonym, null, null), Map.of(before.root().day(), before.hash()));
    assertThat(own.findings()).isEmpty();
    assertThat(own.account()).isEqualTo(pseudonym);
    assertThat(own.covered()).isEqualTo(2);

    topUp(pseudonym, 4);
    PublishedRoot after = endOfDay();
    assertThat(broken()).isEmpty();
    assertThat(
            check(
                    file(pseudonym, null, null),
                    Map.of(
                        before.root().day(), before.hash(),
                        after.root().day(), after.hash()))
                .findings())
        .isEmpty();
    assertThat(
            jdbc.queryForObject(
                "select salt is null from receipt_chain where account = ?",
                Boolean.class,
                pseudonym))
        .as("the salt would confirm a guessed name")
        .isTrue();
    byte[] ofBob =
        new String(file(pseudonym, null, null), StandardCharsets.UTF_8)
            .replaceFirst(pseudonym, "bob")
            .getBytes(StandardCharsets.UTF_8);
    assertThat(check(ofBob, Map.of()).findings())
        .as("only a pseudonym names its first hash")
        .extracting(Finding::rule)
        .contains(Rule.CHAIN);
    String chain = "where account = '" + pseudonym + "'";
    ByteString genesis =
        ByteString.copyFrom(
            jdbc.queryForObject("select genesis from receipt_chain " + chain, byte[].class));
    found(
        "update receipt_chain set genesis = sha256(genesis) " + chain,
        "update receipt_chain set genesis = '\\x" + Hex.of(genesis) + "' " + chain,
        "receipts");
  }

  @Test
  void aChainThatAVersionBeforeHasErasedIsVerifiedFromItsSecondReceiptOn() {
    topUp(alice, 1);
    topUp(alice, 2);
    sealer.seal();
    String pseudonym = "erased-" + serial;
    List<String> rename =
        List.of("account", "ledger_account", "posting", "receipt_chain", "receipt_link");
    for (String table : rename) {
      String column =
          switch (table) {
            case "account" -> "id";
            case "ledger_account" -> "name";
            default -> "account";
          };
      database.forge(
          "update %1$s set %2$s = replace(%2$s, '%3$s', '%4$s') where %2$s like '%%%3$s'"
              .formatted(table, column, alice, pseudonym));
    }
    assertThat(broken()).extracting(Check::code).containsExactly("receipts");
    database.forge("update receipt_chain set erased = true where account = '" + pseudonym + "'");
    assertThat(broken()).isEmpty();
    endOfDay();
    assertThat(broken()).isEmpty();
  }

  private static String erase(String account, String pseudonym) {
    return database
        .owner()
        .queryForObject(
            "select coalesce(erase_account(?, ?), '')", String.class, account, pseudonym);
  }

  private boolean waitsForALock() {
    return jdbc.queryForObject(
        "select exists (select from pg_locks where locktype = 'advisory' and not granted and database ="
            + " (select oid from pg_database where datname = current_database()))",
        Boolean.class);
  }

  private long links(String account) {
    return jdbc.queryForObject(
        "select count(*) from receipt_link where account = ?", Long.class, account);
  }
}
