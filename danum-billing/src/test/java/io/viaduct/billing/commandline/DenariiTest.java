package io.viaduct.billing.commandline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.commandline.CommandRun.Person;
import io.viaduct.billing.mediation.PostedReports;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.ServiceClass;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.interfaces.EdECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Each command of `denarii`, against a running billing with its PostgreSQL.
class DenariiTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;
  private static String token;

  private final String alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);
  private Person operator;
  private Person user;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    // Later than the intervals of other tests, which must not be rated by a tariff of this one.
    CLOCK.advance(Duration.ofHours(3));
    billing = RunningBilling.start(folder, CLOCK);
    token = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @BeforeEach
  void logIn(@TempDir Path home) throws Exception {
    billing.openAccount(token, alice);
    operator = new Person(billing, home.resolve("root"), RunningBilling.OPERATOR_PASSWORD, CLOCK);
    user = new Person(billing, home.resolve("alice"), "password-of-" + alice, CLOCK);
    operator.run("login", "--user", "operator").succeeds();
    user.run("login", "--user", alice).succeeds();
  }

  private List<Long> charged() {
    return PostedReports.post(alice, SeedTariff.read(), Reports.workedExample());
  }

  private static List<String> keys(JsonNode node) {
    return List.copyOf(node.propertyNames());
  }

  @Test
  void aLogInIsKeptUntilTheLogOutAndAWrongPasswordEndsWith77() {
    assertThat(user.run("account").succeeds().out()).startsWith(alice + " (" + alice + "), user");
    assertThat(user.run("logout", "--billing", "http://127.0.0.1:9").succeeds().out())
        .as("the token goes to the billing that gave it")
        .isEqualTo("logged out\n");
    assertThat(user.run("account").code()).isEqualTo(77);
    Person guesser = new Person(billing, user.home(), "wrong", CLOCK);
    CommandRun wrong = guesser.run("login", "--user", alice);
    assertThat(wrong.code()).isEqualTo(77);
    assertThat(wrong.err()).contains("Wrong user or password: check both and try again");
  }

  @Test
  void aTopUpIsPostedOnceForItsKeyWhichIsPrintedBeforehand() {
    CommandRun first =
        operator.run("topup", alice, "2.5den", "--reference", "invoice 17").succeeds();
    assertThat(first.out()).startsWith("topped up " + alice + " by 2.5 den, transaction ");
    String key = first.err().strip().replaceFirst("^key ", "");
    CommandRun again =
        operator
            .run("topup", alice, "2.5den", "--reference", "invoice 17", "--key", key)
            .succeeds();
    assertThat(again.out()).startsWith("was topped up before: " + alice + " by 2.5 den");
    CommandRun other = operator.run("topup", alice, "3den", "--key", key);
    assertThat(other.code()).isEqualTo(65);
    assertThat(other.err()).contains("was used with another account, amount or reference");
    assertThat(user.run("account").succeeds().out()).contains("Balance    2.5 den\n");
    assertThat(operator.run("topup", "nobody-here", "1").code()).isEqualTo(2);
    CommandRun notAllowed = user.run("topup", alice, "1");
    assertThat(notAllowed.code()).isEqualTo(77);
    assertThat(notAllowed.err()).contains("account '" + alice + "' is user");
  }

  @Test
  void aTokenIsMadeUsedListedAndRevoked(@TempDir Path home) throws Exception {
    String end = java.time.Instant.now().plus(java.time.Duration.ofDays(30)).toString();
    String token =
        user.run("tokens", "make", "--name", "reporting", "--scope", "read", "--expires", end)
            .succeeds()
            .out()
            .strip();
    Path file = home.resolve("token");
    Files.writeString(file, token + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    assertThat(user.run("account", alice, "--token-file", file.toString()).succeeds().out())
        .contains(alice);
    String list = user.run("tokens", "list").succeeds().out();
    assertThat(list).contains("reporting", "read", "valid until its end").doesNotContain(token);
    String id = list.lines().skip(1).findFirst().orElseThrow().split(" ")[0];
    assertThat(user.run("tokens", "revoke", id).succeeds().out()).isEqualTo("revoked\n");
    assertThat(user.run("account", alice, "--token-file", file.toString()).code()).isEqualTo(77);
  }

  @Test
  void theAuditLogIsReadByAnOperatorOnly() throws Exception {
    operator.run("topup", alice, "2den").succeeds();
    assertThat(operator.run("audit", "--about", alice, "--limit", "5").succeeds().out())
        .contains("topUp", "/api/v1/accounts/" + alice + "/top-ups", "top_up:");
    assertThat(operator.run("audit", "--about", alice, "--csv").succeeds().out())
        .startsWith("id,at,account,role,operation");
    assertThat(user.run("audit").code()).isEqualTo(77);
  }

  @Test
  void anAccountShowsBalanceCreditCapsAndWallets() throws Exception {
    operator.run("topup", alice, "100den").succeeds();
    charged();
    CommandRun text = user.run("account").succeeds();
    assertThat(text.out())
        .contains("Available  ", "(credit limit 0 den, reserved 0 den)")
        .contains("sufficient; lasts ")
        .contains("spent, no cap (UTC)");
    JsonNode json = user.run("account", "--json").succeeds().json();
    assertThat(keys(json)).containsExactly("account", "credit", "wallets", "allowanceMicrodenarii");
    assertThat(keys(json.get("credit")))
        .contains("balanceMicrodenarii", "availableMicrodenarii", "caps", "lastsSeconds");
    assertThat(user.run("account", "operator").code()).as("not visible").isEqualTo(2);
    String credit = "/api/v1/accounts/" + alice + "/credit";
    billing.call(
        "PUT",
        credit + "/block",
        billing.operator(),
        "{\"blocked\":true,\"reason\":\"stolen card\"}",
        Map.of("If-Match", billing.tag(credit, billing.operator())));
    assertThat(user.run("account").succeeds().out())
        .contains("the operator has blocked the account: stolen card");
  }

  @Test
  void chargesAreFilteredAndPagedAndTheLatestIsTheLast() {
    List<Long> ids = charged();
    CommandRun all = user.run("charges", "--limit", "0", "--json").succeeds();
    assertThat(all.jsonLines()).hasSize(ids.size());
    assertThat(user.run("charges", "--application", "hangout-video", "--json").jsonLines())
        .hasSize(1)
        .allSatisfy(
            charge -> assertThat(charge.get("application").asString()).isEqualTo("hangout-video"));
    assertThat(user.run("charges", "--month", "2001-01").succeeds().out())
        .isEqualTo("no charge fits\n");
    assertThat(user.run("charges").succeeds().out().lines().findFirst().orElseThrow())
        .containsSubsequence(
            "CHARGE", "BEGIN", "APPLICATION", "COST", "STATE", "PASSED BY", "PAID BY");
    assertThat(user.run("charges", "--passed-by", "none", "--json").jsonLines())
        .hasSize(ids.size())
        .allSatisfy(charge -> assertThat(charge.get("paidBy").asString()).isEqualTo("prepaid"));
    assertThat(user.run("charges", "--passed-by", "grace", "--json").jsonLines()).isEmpty();
    String device = user.run("charges", "--json").jsonLines().getFirst().path("device").asString();
    assertThat(user.run("charges", "--device", device, "--json").jsonLines()).isNotEmpty();
    assertThat(user.run("charges", "--device", "another", "--json").jsonLines()).isEmpty();
    CommandRun refused = user.run("charges", "--state", "lost");
    assertThat(refused.code()).isEqualTo(65);
    assertThat(refused.err()).contains("state must be");
  }

  @Test
  void whatCapsGaveBackIsListedWithTheSumAndTheCap() throws Exception {
    Tariff capped =
        SeedTariff.at(
            OperatingPoint.OFFERED, "{\"caps\":{\"APPLICATION_HOUR\":5.0,\"ACCOUNT_DAY\":4.0}}");
    PostedReports.aboveCaps(
        alice, capped, List.of(Reports.flow(1, "skype-video", 2_550_000, 2_550_000, 140)));
    assertThat(user.run("cap-credits").succeeds().out())
        .containsPattern("day +- +5 den +4 den +1 den")
        .containsPattern("hour +skype-video +13\\.510279 den +5 den +8\\.510279 den");
    assertThat(user.run("cap-credits", "--json", "--limit", "1").jsonLines()).hasSize(1);
    assertThat(user.run("cap-credits", "operator").code()).isEqualTo(2);
    JsonNode first =
        billing.get("/api/v1/accounts/" + alice + "/cap-credits?limit=1", token).body();
    JsonNode second =
        billing
            .get(
                "/api/v1/accounts/" + alice + "/cap-credits?cursor=" + first.get("next").asString(),
                token)
            .body();
    assertThat(List.of(first.at("/capCredits/0"), second.at("/capCredits/0")))
        .extracting(credit -> credit.get("span").asString())
        .containsExactlyInAnyOrder("hour", "day");
    assertThat(second.get("next").isNull()).isTrue();
  }

  @Test
  void newChargesAreFollowedUntilTheStreamEnds() throws Exception {
    long charge = charged().getFirst();
    StringWriter out = new StringWriter();
    Thread terminal =
        Thread.ofVirtual().start(() -> user.run(out, "charges", "--follow", "--json"));
    await().until(() -> out.toString().lines().count() == 2);
    // A refund tells the account's streams that its charge has changed.
    var refund =
        billing.call(
            "POST",
            "/api/v1/accounts/" + alice + "/credits",
            token,
            "{\"amountMicrodenarii\":\"5\",\"reason\":\"r\",\"charge\":\"%d\"}".formatted(charge),
            Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    assertThat(refund.status()).as(refund.raw().body()).isEqualTo(201);
    await().until(() -> out.toString().lines().count() == 3);
    JsonNode last =
        JsonMapper.shared().readTree(out.toString().lines().skip(2).findFirst().orElseThrow());
    assertThat(last.get("id").asString()).isEqualTo(Long.toString(charge));
    assertThat(last.get("refundedMicrodenarii").asString()).isEqualTo("5");
    terminal.interrupt();
    terminal.join();
  }

  @Test
  void anExplanationPrintsEachStepAndThatItIsWhatWasPosted() {
    long charge = charged().getFirst();
    CommandRun text = user.run("explain", Long.toString(charge)).succeeds();
    assertThat(text.out())
        .contains("skype-video (HT&LD)", "2.55 MB", "delay 140 ms (measured)")
        .contains("charge    13.510279 den", "to pay", "This is what was posted.")
        .contains("Paid: 12.745279 den by prepaid\nLet pass by: no rule: its session")
        .contains("The discount counts bytes saved and is for the user\n")
        .containsPattern("charge +13510279 µden")
        .doesNotContainPattern("0\\.0000");
    JsonNode json = user.run("explain", Long.toString(charge), "--json").succeeds().json();
    assertThat(keys(json)).containsExactly("tariffVersion", "surchargeVersion", "explanation");
    assertThat(user.run("explain", "999999999").code()).isEqualTo(2);
  }

  @Test
  void aSimulationShowsWhatWasPostedAndWhatItWouldHaveBeen(@TempDir Path folder) throws Exception {
    String charge = Long.toString(charged().getFirst());
    JsonNode same = user.run("simulate", charge, "--json").succeeds().json();
    assertThat(same.get("bill")).isEqualTo(same.get("posted"));
    CommandRun slower =
        user.run("simulate", charge, "--delay", "600", "--without-aggregation").succeeds();
    assertThat(slower.out()).contains("600 ms", "POSTED", "SIMULATED");
    Path draft = folder.resolve("draft.yml");
    Files.writeString(draft, user.run("tariff", "show").succeeds().out());
    assertThat(user.run("simulate", charge, "--tariff", draft.toString()).code()).isZero();
    CommandRun wrong = user.run("simulate", charge, "--loss", "7");
    assertThat(wrong.code()).isEqualTo(65);
    assertThat(wrong.err()).contains("loss must be between 0.0 and 1.0, got 7.0");
  }

  @Test
  void aSimulationThroughAnotherSnaptTakesItsDelayAndTheSurchargeOfItsOwner() throws Exception {
    String charge = Long.toString(charged().getFirst());
    List<Long> others =
        PostedReports.post(
            alice,
            SeedTariff.read(),
            List.of(
                Reports.flow(1, "skype-video", 255_000, 102_000, 280),
                Reports.flow(2, "backup", 9_255_000, 9_102_000, 900).toBuilder()
                    .setServiceClass(ServiceClass.HT_HD)
                    .build()));
    String snapt = interval("snapt_id", others.getFirst());
    JsonNode through = user.run("simulate", charge, "--through", snapt, "--json").succeeds().json();
    assertThat(through.at("/flows/0/inputs/delayMs").asDouble()).isEqualTo(280);
    assertThat(through.at("/bill/surchargeMicrodenarii").asString()).isEqualTo("0");

    String surcharge =
        "{\"effectiveFrom\":\"%s\",\"surcharge\":{\"denarii-per-megabyte\":{\"HT_LD\":1}}}";
    var stored =
        billing.post(
            "/api/v1/owners/" + interval("owner", others.getFirst()) + "/surcharges",
            token,
            surcharge.formatted(CLOCK.instant()));
    assertThat(stored.status()).as(stored.raw().body()).isEqualTo(201);
    JsonNode dearer =
        user.run("simulate", charge, "--through", snapt, "--delay", "140", "--json")
            .succeeds()
            .json();
    assertThat(dearer.at("/flows/0/inputs/delayMs").asDouble()).isEqualTo(140);
    // 2.55 MB and 1.425 MB before aggregation, at 1 den/MB
    assertThat(dearer.at("/bill/surchargeMicrodenarii").asString()).isEqualTo("3975000");

    CommandRun unknown = user.run("simulate", charge, "--through", "snapt-none");
    assertThat(unknown.code()).isEqualTo(65);
    assertThat(unknown.err()).contains("throughSnapt must be a SNAPT", "got 'snapt-none'");
    assertThat(user.run("simulate", charge, "--through", "snapt\0").code()).isEqualTo(65);
  }

  private static String interval(String column, long charge) {
    return SharedDatabase.jdbc()
        .queryForObject(
            "select i."
                + column
                + " from charge c join charging_interval i on i.id = c.interval_id where c.id = ?",
            String.class,
            charge);
  }

  @Test
  void aTariffIsCheckedComparedPublishedScheduledAndRolledBack(@TempDir Path folder)
      throws Exception {
    String before =
        operator.run("tariff", "show", "--json").succeeds().json().get("version").asString();
    Path draft = folder.resolve("draft.yml");
    Files.writeString(
        draft,
        operator.run("tariff", "show").succeeds().out().replaceFirst("cap: 0\\.3\\b", "cap: 0.25"));
    assertThat(operator.run("tariff", "check", draft.toString()).succeeds().out())
        .isEqualTo(draft + " is a tariff that billing accepts\n");
    assertThat(operator.run("tariff", "diff", before, draft.toString()).succeeds().out())
        .containsPattern("discount\\.cap +0\\.3 +0\\.25");

    Path broken = folder.resolve("broken.yml");
    Files.writeString(broken, Files.readString(draft).replaceFirst("cap: 0\\.25", "cap: 25"));
    CommandRun refused = operator.run("tariff", "check", broken.toString());
    assertThat(refused.code()).isEqualTo(65);
    assertThat(refused.err()).contains("cap").contains("25");

    JsonNode listed = operator.run("tariff", "list", "--json").succeeds().json();
    int latest = listed.get("tariffs").size();
    String at = CLOCK.instant().plusSeconds(86_400).toString();
    JsonNode scheduled =
        operator
            .run(
                "tariff",
                "schedule",
                draft.toString(),
                "--at",
                at,
                "--json",
                "--if-latest",
                Integer.toString(latest))
            .succeeds()
            .json();
    assertThat(Instant.parse(scheduled.get("effectiveFrom").asString()))
        .isEqualTo(Instant.parse(at));
    CommandRun late =
        operator.run(
            "tariff", "publish", draft.toString(), "--if-latest", Integer.toString(latest));
    assertThat(late.code()).isEqualTo(65);
    assertThat(late.err()).contains("version " + (latest + 1) + " is the latest now");

    operator.run("tariff", "publish", draft.toString()).succeeds();
    assertThat(operator.run("tariff", "list").succeeds().out())
        .containsPattern((latest + 2) + " .* in force\n")
        .containsPattern((latest + 1) + " .* scheduled\n");
    operator.run("tariff", "rollback", before).succeeds();
    assertThat(operator.run("tariff", "diff", before, Integer.toString(latest + 3)).out())
        .isEqualTo("no value differs\n");
    assertThat(user.run("tariff", "rollback", before).code()).isEqualTo(77);
  }

  @Test
  void aSnaptIsEnrolledChangedPricedListedAndRemoved() {
    String snapt = "snapt-of-" + alice;
    String owner = "owner-of-" + alice;
    String key =
        Base64.getEncoder()
            .encodeToString(Ed25519.raw((EdECPublicKey) Ed25519.generate().getPublic()));
    CommandRun unknown = operator.run("snapts", "enrol", snapt);
    assertThat(unknown.code()).isEqualTo(64);
    assertThat(unknown.err()).contains("is not enrolled: name its --owner");
    assertThat(operator.run("snapts", "enrol", snapt, "--owner", owner).succeeds().out())
        .containsPattern("code for " + snapt + ", once until .*\n  [A-Za-z0-9_-]{43}\n");
    assertThat(operator.run("snapts", "csr", snapt).err())
        .contains(snapt + " has not used its code yet");
    String[] enrol = {"snapts", "enrol", snapt, "--report-key", key, "--owner", owner};
    assertThat(operator.run(enrol).succeeds().out())
        .isEqualTo("%s enrolled: owner %s, region none%n".formatted(snapt, owner));
    JsonNode changed =
        operator.run("snapts", "enrol", snapt, "--region", "north", "--json").succeeds().json();
    assertThat(changed.path("reportKey").asString()).isEqualTo(key);
    assertThat(changed.path("region").asString()).isEqualTo("north");
    assertThat(
            operator.run("snapts", "price", snapt, "--per-gigabyte", "HT_HD=2.5").succeeds().out())
        .startsWith("stored version 1 of " + owner);
    operator
        .run("snapts", "price", snapt, "--per-gigabyte", "LT_LD=1", "--at", "2100-01-01")
        .succeeds();
    String line =
        operator
            .run("snapts", "list")
            .succeeds()
            .out()
            .lines()
            .filter(each -> each.startsWith(snapt))
            .findFirst()
            .orElseThrow();
    assertThat(line).contains(owner, "north", "HT_HD 2.5 den", "LT_LD 1 den from 2100-01-01");
    assertThat(user.run("snapts", "list").code()).isEqualTo(77);
    assertThat(operator.run("snapts", "remove", snapt).succeeds().out())
        .isEqualTo(snapt + " removed" + System.lineSeparator());
    assertThat(operator.run("snapts", "remove", snapt).code()).isEqualTo(2);
    assertThat(operator.run("snapts", "list", "--json").succeeds().out()).doesNotContain(snapt);
  }

  @Test
  void anExportIsWholeOrThereIsNoFile(@TempDir Path folder) throws Exception {
    int charges = charged().size();
    Path csv = folder.resolve("all.csv");
    user.run("export", "--out", csv.toString()).succeeds();
    assertThat(Files.readAllLines(csv))
        .hasSize(charges + 1)
        .first()
        .asString()
        .startsWith("id,account");
    CommandRun again = user.run("export", "--out", csv.toString());
    assertThat(again.code()).isEqualTo(66);
    assertThat(again.err()).contains(csv.toString());
    CommandRun lines = user.run("export", "--format", "jsonl").succeeds();
    assertThat(lines.jsonLines())
        .hasSize(charges)
        .allSatisfy(charge -> assertThat(charge.get("account").asString()).isEqualTo(alice));
    Path refused = folder.resolve("refused.csv");
    assertThat(user.run("export", "--class", "FAST", "--out", refused.toString()).code())
        .isEqualTo(65);
    assertThat(folder).isDirectoryNotContaining("glob:**refused*");
  }

  @Test
  void aSheetIsOnDiskBeforeVouchersAreMadeAndGoneIfNoneAre(@TempDir Path folder) throws Exception {
    Path sheet = folder.resolve("sheet.html");
    String[] wanted = {
      "voucher",
      "make",
      "--count",
      "3",
      "--amount",
      "5den",
      "--expires",
      "2030-01-01",
      "--sheet",
      sheet.toString(),
      "--key",
      "sheet-" + alice
    };
    Path other = Files.writeString(folder.resolve("other.html"), "kept");
    wanted[9] = other.toString();
    assertThat(operator.run(wanted).code()).isEqualTo(66);
    assertThat(other).hasContent("kept");
    wanted[9] = folder.resolve("nowhere/sheet.html").toString();
    assertThat(operator.run(wanted).code()).isEqualTo(66);
    wanted[9] = sheet.toString();
    assertThat(user.run(wanted).code()).isEqualTo(77);
    assertThat(sheet).doesNotExist();
    assertThat(operator.run(wanted).succeeds().out()).as("made only now").contains("3 vouchers");
    assertThat(Files.readString(sheet)).contains("<code>");
    Files.delete(sheet);
    assertThat(operator.run(wanted).succeeds().out()).contains("was made before");
    assertThat(sheet).doesNotExist();
  }

  @Test
  void vouchersAreMadePrintedRedeemedAndTakenBack(@TempDir Path folder) throws Exception {
    Path sheet = folder.resolve("sheet.html");
    CommandRun made =
        operator
            .run(
                "voucher",
                "make",
                "--count",
                "3",
                "--amount",
                "5den",
                "--expires",
                "2030-01-01",
                "--note",
                "kiosk",
                "--sheet",
                sheet.toString(),
                "--json")
            .succeeds();
    JsonNode batch = made.json().get("batch");
    String code = made.json().at("/vouchers/0/code").asString();
    assertThat(Files.readString(sheet))
        .contains("<h2>5 den</h2>", "<code>" + code + "</code>", "2030-01-01 00:00:00 +00:00");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sheet)))
        .isEqualTo("rw-------");
    String serial = batch.get("id").asString() + "-1";
    assertThat(user.run("voucher", "redeem", code).succeeds().out())
        .isEqualTo("voucher " + serial + " redeemed: 5 den\n");
    assertThat(user.run("voucher", "redeem", code).succeeds().out())
        .isEqualTo("voucher " + serial + " was redeemed by you before: 5 den\n");
    CommandRun unknown = user.run("voucher", "redeem", "no code");
    assertThat(unknown.code()).isEqualTo(65);
    assertThat(unknown.err()).contains("20 letters and digits");
    assertThat(
            operator
                .run("voucher", "return", batch.get("id").asString(), "--reason", "lost")
                .succeeds()
                .out())
        .isEqualTo("batch " + batch.get("id").asString() + ": 2 returned, 1 redeemed, 0 open\n");
    assertThat(operator.run("voucher", "list", "--limit", "1").succeeds().out())
        .contains("kiosk", "5 den");
    String key = made.err().strip().replaceFirst("^key ", "");
    assertThat(
            operator
                .run(
                    "voucher",
                    "make",
                    "--count",
                    "3",
                    "--amount",
                    "5den",
                    "--expires",
                    "2030-01-01",
                    "--note",
                    "kiosk",
                    "--key",
                    key)
                .succeeds()
                .out())
        .contains("was made before; its codes cannot be told again", "denarii voucher return");
    assertThat(user.run("voucher", "list").code()).isEqualTo(77);
  }

  @Test
  void aSignedStatementIsCheckedWithoutBillingAndAChangeOfItIsFound(@TempDir Path folder)
      throws Exception {
    operator.run("topup", alice, "7den").succeeds();
    PostedReports.postEarlier(alice, Reports.workedExample());
    Path file = folder.resolve("alice.jsonl");
    await()
        .untilAsserted(() -> {
          Files.deleteIfExists(file);
          user.run("statement", "--signed", "--out", file.toString()).succeeds();
          assertThat(Files.readAllLines(file))
              .filteredOn(line -> line.contains("\"type\":\"receipt\""))
              .hasSize(2);
        });
    String name = file.toString();
    assertThat(user.run("statement", "--signed").succeeds().out().lines())
        .hasSameSizeAs(Files.readAllLines(file));
    String unpinned = user.run("verify-statement", name).succeeds().out();
    assertThat(unpinned).contains("receipts    2, numbers 1 to 2\n", "1 by a device, too\n");
    JsonNode json = user.run("verify-statement", name, "--json").succeeds().json();
    assertThat(json.get("holds").asBoolean()).isTrue();
    assertThat(json.get("pinned").asBoolean()).isFalse();
    assertThat(json.get("withoutKey").asLong()).as("the SNAPT is not enrolled").isEqualTo(1);
    String key = json.at("/billingKeys/0").asString();
    assertThat(unpinned.strip()).endsWith("\nok, if this is your operator's key: " + key);
    assertThat(user.run("verify-statement", name, "--billing-key", key).succeeds().out().strip())
        .endsWith("\nok          every rule holds");
    String other = Base64.getEncoder().encodeToString(new byte[32]);
    assertThat(user.run("verify-statement", name, "--billing-key", other).code()).isEqualTo(1);
    String root = "0".repeat(64);
    CommandRun cut = user.run("verify-statement", name, "--root", "2026-11-26=" + root);
    assertThat(cut.code()).isEqualTo(1);
    assertThat(cut.out()).contains("PUBLISHED: the file does not have the root of 2026-11-26");
    assertThat(user.run("verify-statement", name, "--root", "2026-11-26=4c").code()).isEqualTo(64);

    String topUp = "amountMicrodenarii\":\"7";
    List<String> lines = Files.readAllLines(file);
    int receipt = 1; // line 1 names the account
    while (!lines.get(receipt).contains(topUp)) {
      receipt++;
    }
    Path changed =
        Files.writeString(
            folder.resolve("changed.jsonl"),
            Files.readString(file).replaceFirst(topUp, topUp.replace('7', '8')));
    CommandRun found = user.run("verify-statement", changed.toString());
    assertThat(found.code()).isEqualTo(1);
    assertThat(found.out())
        .contains(
            "BROKEN      line %d, HASH: receipt %d is not what its hash"
                .formatted(receipt + 1, receipt));
    assertThat(user.run("verify-statement", folder.resolve("none").toString()).code())
        .isEqualTo(66);
    assertThat(user.run("statement", "--signed", "--out", name).code()).isEqualTo(66);
    assertThat(user.run("statement", "bob", "--signed").code()).isEqualTo(2);
    assertThat(billing.get("/api/v1/statement-roots", null).status()).isEqualTo(200);
    assertThat(billing.get("/api/v1/statement-roots/2000-01-01", null).status()).isEqualTo(404);
    assertThat(billing.get("/api/v1/statement-roots/today", null).status()).isEqualTo(400);
    assertThat(billing.get("/api/v1/accounts/" + alice + "/receipts?from=today", token).status())
        .isEqualTo(400);
  }

  @Test
  void aStatementAddsUpAndALinkSetsANewPassword() {
    operator.run("topup", alice, "7den").succeeds();
    assertThat(user.run("statement").succeeds().out())
        .containsPattern("opening balance +0 den\n")
        .containsPattern("top up \\(1\\) +7 den\n")
        .containsPattern("closing balance +7 den\n")
        .contains("(time zone UTC), until ");
    assertThat(user.run("statement", "--csv").succeeds().out())
        .contains("movement,TOP_UP,,,1,,,,,,7000000");
    assertThat(keys(user.run("statement", "--json").succeeds().json()))
        .contains("openingMicrodenarii", "movements", "charges", "closingMicrodenarii", "zone");
    assertThat(user.run("statement", "--month", "2999-01").code()).isEqualTo(65);

    assertThat(operator.run("reset", alice, "--pages", "https://pages.example/").succeeds().out())
        .containsPattern("^https://pages.example/reset\\?token=[A-Za-z0-9_-]{43}\nends ");
    assertThat(user.run("reset", alice).code()).isEqualTo(77);
  }

  @Test
  void aVerificationListsEveryInvariantAndIsForOperators() {
    CommandRun verified = operator.run("verify").succeeds();
    assertThat(verified.out()).contains("ok     all accounts sum to 0").doesNotContain("BROKEN");
    JsonNode json = operator.run("verify", "--json").succeeds().json();
    assertThat(keys(json)).containsExactly("checkedAt", "holds", "checks");
    assertThat(user.run("verify").code()).isEqualTo(77);
  }

  @Test
  void anOperatorPreviewsAndBeginsARerating() throws Exception {
    long charge = PostedReports.postEarlier(alice, Reports.workedExample()).getFirst();
    Instant start =
        Instant.parse(
            billing.get("/api/v1/charges/" + charge, token).body().get("start").asString());
    String[] scope = {
      "--from",
      start.toString(),
      "--to",
      start.plusSeconds(60).toString(),
      "--account",
      alice,
      "--tariff",
      "1"
    };
    assertThat(operator.run(with(scope, "rerate", "preview")).succeeds().out())
        .contains("paid, less caps", "34.348658 den");
    String id = "fee-" + alice;
    assertThat(
            operator
                .run(with(scope, "rerate", "run", id, "--reason", "it was wrong"))
                .succeeds()
                .out())
        .startsWith(id + ": ");
    await()
        .untilAsserted(() ->
            assertThat(operator.run("rerate", "show", id).succeeds().out())
                .contains("done, 0 changed, 1 the same", "users pay 0 den more"));
    assertThat(operator.run("rerate", "stop", id, "--json").succeeds().out())
        .contains("\"state\" : \"done\"");
    assertThat(operator.run("rerate", "resume", id).succeeds().out()).contains("done");
    assertThat(operator.run("rerate", "show").succeeds().out()).contains(id);
    assertThat(user.run("rerate", "show").code()).isEqualTo(77);
    assertThat(user.run("explain", Long.toString(charge), "--revision", "0").succeeds().out())
        .contains("This is what was posted.");
  }

  private static String[] with(String[] scope, String... words) {
    return Stream.concat(Stream.of(words), Stream.of(scope)).toArray(String[]::new);
  }
}
