package io.viaduct.billing.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.commandline.CommandRun.Person;
import io.viaduct.billing.mediation.RelayedReports;
import io.viaduct.billing.secondfactor.AuthenticatorApp;
import io.viaduct.service.digest.Sha256;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Commands of `denarii` for operators and their other systems, against a running billing.
class OperatorsToolsTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;
  private static String token;
  private static Path cdr;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private Person operator;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    cdr = Files.createDirectory(folder.resolve("cdr"));
    billing =
        RunningBilling.start(
            folder,
            CLOCK,
            "cdr: {directory: '"
                + cdr
                + "', format: CSV, open-time: 1s}\nwebhooks: {allowed-networks: [127.0.0.1]}");
    token = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
    SharedDatabase.jdbc().update("update cdr_export set enabled = false");
  }

  @BeforeEach
  void logIn(@TempDir Path home) {
    operator = new Person(billing, home, RunningBilling.OPERATOR_PASSWORD, CLOCK);
    operator.run("login", "--user", "operator").succeeds();
  }

  private static Path file(Path folder, String text) throws Exception {
    return Files.writeString(folder.resolve("people.csv"), text);
  }

  private String name(String id) throws Exception {
    return billing.get("/api/v1/accounts/" + id, token).body().path("displayName").asString("none");
  }

  @Test
  void accountsOfAnotherSystemAreImportedOnceWithTheirNames(@TempDir Path folder) throws Exception {
    Path file =
        file(
            folder,
            "\ufeffName,ID,Role,Password\r\n"
                + "\"Müller, \"\"Jo\"\"\",a-%1$s,,\r\n".formatted(tag)
                + "\r\n"
                + "Zażółć Gęślą,b-%1$s,auditor,a good password\r\n".formatted(tag)
                + "\"김, 철수\",c-%1$s,user,\"quoted, password\"".formatted(tag));
    assertThat(operator.run("import", file.toString(), "--check").succeeds().out())
        .contains("3 accounts in", "3 would be created");
    assertThat(billing.get("/api/v1/accounts/a-" + tag, token).status()).isEqualTo(404);

    assertThat(operator.run("import", file.toString()).succeeds().out()).contains("  3 created");
    assertThat(name("a-" + tag)).isEqualTo("Müller, \"Jo\"");
    assertThat(name("b-" + tag)).isEqualTo("Zażółć Gęślą");
    assertThat(name("c-" + tag)).isEqualTo("김, 철수");
    billing.logIn("b-" + tag, "a good password");
    billing.logIn("c-" + tag, "quoted, password");

    JsonNode again = operator.run("import", file.toString(), "--json").succeeds().json();
    assertThat(again.get("lines").asInt()).isEqualTo(3);
    assertThat(again.get("unchanged").asInt()).isEqualTo(3);
    assertThat(again.has("created")).isFalse();
  }

  @Test
  void aCardIsSetFromAFileShownWithoutItsKeysAndTakenAway(@TempDir Path folder) throws Exception {
    billing.openAccount(token, "card-" + tag);
    Path keys =
        Files.writeString(
            folder.resolve("card"), "k=%s\nopc=%s\n".formatted("5e".repeat(16), "ed".repeat(16)));
    Files.setPosixFilePermissions(keys, PosixFilePermissions.fromString("rw-------"));
    operator.run("card", "set", "card-" + tag, "--file", keys.toString()).succeeds();
    assertThat(operator.run("card", "show", "card-" + tag).succeeds().out())
        .contains("card since", "amf 0000")
        .doesNotContain("5e5e");
    operator.run("card", "remove", "card-" + tag).succeeds();
    operator.run("sip-address", "add", "card-" + tag, "+41-" + tag).succeeds();
    assertThat(operator.run("sip-address", "show", "card-" + tag).succeeds().out())
        .isEqualTo("card-%1$s@ims.test\n+41-%1$s@ims.test\n".formatted(tag));
    operator.run("sip-address", "remove", "card-" + tag, "+41-" + tag).succeeds();
    assertThat(billing.get("/api/v1/accounts/card-" + tag + "/card", token).status())
        .isEqualTo(404);
  }

  @Test
  void tenThousandAccountsAreImportedAndABadLineInTheMiddleStopsAllOfThem(@TempDir Path folder)
      throws Exception {
    StringBuilder lines = new StringBuilder("id,name\n");
    for (int i = 0; i < 10_000; i++) {
      lines.append("p%d-%s,Person %d\n".formatted(i, tag, i));
    }
    String all = lines.toString();
    for (String[] bad :
        new String[][] {
          {"p5000-" + tag + ",Person 5000", "p5000 " + tag + ",Person 5000", "the id must be"},
          {"p5000-" + tag + ",Person 5000", "p5000-" + tag, "1 fields, and the header has 2"},
          {"p5000-" + tag + ",", "p77-" + tag + ",", "is in line 79 too"},
          {"Person 5000", "Person \u202e5000", "displayName must have"},
          {"Person 5000", "Person \"5000", "a quote inside a field"}
        }) {
      CommandRun refused =
          operator.run("import", file(folder, all.replace(bad[0], bad[1])).toString());
      assertThat(refused.code()).as(bad[1]).isIn(64, 65);
      assertThat(refused.err()).contains("line 5002: ", bad[2]);
    }
    assertThat(count()).as("nothing was made").isZero();
    assertThat(operator.run("import", file(folder, all).toString()).succeeds().out())
        .contains("  10000 created");
    assertThat(count()).isEqualTo(10_000);
  }

  private int count() {
    return SharedDatabase.jdbc()
        .queryForObject("select count(*) from account where id like ?", Integer.class, "p%-" + tag);
  }

  @Test
  void aFileOfAnotherEncodingIsRefusedByItsLine(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("latin.csv");
    Files.write(
        file,
        ("id,name\na-" + tag + ",Ok\nb-" + tag + ",Müller\n")
            .getBytes(StandardCharsets.ISO_8859_1));
    CommandRun refused = operator.run("import", file.toString());
    assertThat(refused.code()).isEqualTo(64);
    assertThat(refused.err()).contains("line 3 is not UTF-8");
    assertThat(operator.run("import", file(folder, "id,surname\n").toString()).err())
        .contains("line 1: 'surname' is no column");
    assertThat(operator.run("import", file(folder, "id,name\na,\"b\n").toString()).err())
        .contains("line 2: a quote is never closed");
  }

  @Test
  void aWebhookIsMadeListedWatchedAndDeleted() throws Exception {
    CommandRun made =
        operator.run(
            "webhook",
            "make",
            "http://127.0.0.1:9/" + tag,
            "--event",
            "balance.low",
            "--description",
            "books",
            "--all-accounts");
    assertThat(made.succeeds().out()).startsWith("vds_");
    String id = made.err().replaceAll("\\D", "");
    assertThat(operator.run("webhook", "list").succeeds().out())
        .contains("http://127.0.0.1:9/" + tag, "balance.low", "all", "active");
    assertThat(operator.run("webhook", "secret", id).succeeds().out())
        .startsWith("vds_")
        .isNotEqualTo(made.out());
    long event =
        SharedDatabase.jdbc()
            .queryForObject(
                "insert into webhook_event (kind, account, body, created_at) values ('balance.low', 'operator', '{}', now())"
                    + " returning id",
                Long.class);
    long delivery =
        SharedDatabase.jdbc()
            .queryForObject(
                "insert into webhook_delivery (event_id, endpoint_id, state, next_attempt_at)"
                    + " values (?, ?, 'DEAD', now()) returning id",
                Long.class,
                event,
                Long.parseLong(id));
    assertThat(operator.run("webhook", "log", id).succeeds().out()).contains("balance.low", "dead");
    operator.run("webhook", "resend", id, Long.toString(delivery)).succeeds();
    JsonNode entry =
        billing
            .get("/api/v1/audit?about=deliveries/" + delivery, token)
            .body()
            .get("entries")
            .get(0);
    assertThat(entry.get("operation").asString()).isEqualTo("resendDelivery");
    assertThat(entry.get("changes").toString()).contains("webhook_delivery", "DEAD", "DUE");
    operator.run("webhook", "delete", id).succeeds();
    assertThat(operator.run("webhook", "list").succeeds().out()).doesNotContain(tag);
  }

  @Test
  void aFileOfRecordsIsDownloadedWhereItStopped(@TempDir Path folder) throws Exception {
    String text = "a record\n";
    long sequence = written(text);
    assertThat(operator.run("cdr-files", "list").succeeds().out()).contains("test-" + tag);
    Path target = folder.resolve("test-" + tag);
    CommandRun gone =
        operator.run("cdr-files", "get", Long.toString(sequence), "--directory", folder.toString());
    assertThat(gone.code()).as("it cannot be made again as it was").isEqualTo(2);

    // An empty file of this format is its header line: it can be made again.
    long empty = written(header());
    Path part = folder.resolve("test-" + tag + "-" + empty + ".part");
    Files.writeString(part, header().substring(0, 10));
    operator
        .run("cdr-files", "get", Long.toString(empty), "--directory", folder.toString())
        .succeeds();
    assertThat(Files.readString(folder.resolve("test-" + tag + "-" + empty))).isEqualTo(header());
    assertThat(Files.exists(part)).isFalse();
    assertThat(Files.exists(target)).isFalse();

    long broken = written(header());
    Path other = folder.resolve("test-" + tag + "-" + broken + ".part");
    Files.writeString(other, "something else");
    CommandRun wrong =
        operator.run("cdr-files", "get", Long.toString(broken), "--directory", folder.toString());
    assertThat(wrong.code()).isEqualTo(66);
    assertThat(wrong.err()).contains("SHA-256");
    operator
        .run("cdr-files", "get", Long.toString(broken), "--directory", folder.toString())
        .succeeds();
  }

  @Test
  void aPartOfAFileIsAnsweredForTheHeaderRange() throws Exception {
    String path = "/api/v1/cdr-files/" + written(header()) + "/content";
    var part = billing.call("GET", path, token, null, Map.of("Range", "bytes=2-5"));
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.raw().body()).isEqualTo(header().substring(2, 6));
    assertThat(billing.call("GET", path, token, null, Map.of("Range", "bytes=100000-")).status())
        .isEqualTo(416);
  }

  /// Returns the content of a file without records, as billing makes it.
  private static String header() {
    return new String(io.viaduct.billing.cdr.EmptyFile.csv(), StandardCharsets.UTF_8);
  }

  /// Stores a file as written, with this content and no intervals.
  private long written(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    long sequence =
        SharedDatabase.jdbc()
            .queryForObject("select coalesce(max(sequence), 0) + 1 from cdr_file", Long.class);
    SharedDatabase.jdbc()
        .update(
            "insert into cdr_file (sequence, name, format, cause, records, opened_at, closed_at, bytes, sha256, written_at)"
                + " values (?, ?, 'CSV', 2, 1, now(), now(), ?, ?, now())",
            sequence,
            text.equals(header()) ? "test-" + tag + "-" + sequence : "test-" + tag,
            bytes.length,
            HexFormat.of().parseHex(HexFormat.of().formatHex(Sha256.of(bytes))));
    return sequence;
  }

  @Test
  void feesOfAnOwnerAreShown() throws Exception {
    assertThat(operator.run("fees", "nobody-" + tag).succeeds().out())
        .contains("earned until now: 0 den");
    billing.openAccount(token, "owner-" + tag, "snapt-owner");
    Person owner =
        new Person(billing, operator.home().resolve("o"), "password-of-owner-" + tag, CLOCK);
    owner.run("login", "--user", "owner-" + tag).succeeds();
    assertThat(owner.run("fees", "--from", "2026-01-01", "--to", "2026-02-01").succeeds().out())
        .contains("earned until now");
    assertThat(owner.run("fees", "acme").code()).isEqualTo(2);
  }

  @Test
  void aRelayIsShownWhatItHasEarnedAndNotByWhom() throws Exception {
    String payer = "payer-" + tag;
    String relay = "relay-" + tag;
    billing.openAccount(token, payer);
    billing.openAccount(token, relay);
    assertThat(operator.run("rewards", relay).succeeds().out()).contains("earned until now: 0 den");
    RelayedReports.paid(payer, relay, CLOCK.instant());
    CLOCK.advance(Duration.ofSeconds(1));
    Person person =
        new Person(billing, operator.home().resolve("r"), "password-of-" + relay, CLOCK);
    person.run("login", "--user", relay).succeeds();
    assertThat(person.run("rewards").succeeds().out())
        .contains("snapt-relayed", "7.108232 den", "earned until now: 7.108232 den")
        .doesNotContain(payer);
    JsonNode line = person.run("rewards", "--json").succeeds().jsonLines().getFirst();
    assertThat(line.get("rewardMicrodenarii").asString()).isEqualTo("7108232");
    assertThat(line.get("intervals").asLong()).isEqualTo(1);
    assertThat(person.run("rewards", payer).code()).isEqualTo(2);
  }

  @Test
  void aLogInAsksForTheCodeOfTheSecondFactor(@TempDir Path home) throws Exception {
    String id = "coded-" + tag;
    billing.openAccount(token, id);
    String login = billing.logIn(id, "password-of-" + id);
    String path = "/api/v1/accounts/" + id + "/second-factor";
    AuthenticatorApp app =
        AuthenticatorApp.of(billing.post(path, login, null).body().get("uri").asString());
    billing.call("PUT", path, login, "{\"code\":\"" + app.code(CLOCK.instant()) + "\"}", Map.of());
    CLOCK.advance(Duration.ofSeconds(30));
    Path password = Files.writeString(home.resolve("password"), "password-of-" + id);
    Files.setPosixFilePermissions(
        password, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
    Person wrong = new Person(billing, home, "000000", CLOCK);
    assertThat(wrong.run("login", "--user", id, "--password-file", password.toString()).code())
        .isEqualTo(77);
    Person right = new Person(billing, home, app.code(CLOCK.instant()), CLOCK);
    right.run("login", "--user", id, "--password-file", password.toString()).succeeds();
    right.run("account").succeeds();
  }

  @Test
  void anOrderToDrainIsInTheAuditLog() throws Exception {
    String path = "/api/v1/snapts/snapt-" + tag + "/drain-orders";
    assertThat(billing.post(path, token, "{\"action\":\"drain\",\"deadlineSeconds\":60}").status())
        .isEqualTo(201);
    assertThat(billing.post(path, token, "{\"action\":\"stop\"}").status()).isEqualTo(400);
    JsonNode entries = billing.get("/api/v1/audit?about=snapt-" + tag, token).body().get("entries");
    assertThat(entries).hasSize(2);
    assertThat(entries.get(1).toString())
        .contains("noteDrain", "drain_order", "\"deadline_seconds\":60", "operator");
  }
}
