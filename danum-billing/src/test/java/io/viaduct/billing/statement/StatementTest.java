package io.viaduct.billing.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.mediation.PostedReports;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.billing.mediation.UndecidedReports;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class StatementTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static final String TERMS =
      "{\"fees\":{\"PER_MEGABYTE\":0.02,\"PER_MINUTE\":0.03},\"refunds\":{\"DELAY\":0.5}}";
  private static RunningBilling billing;

  private String operator;
  private String alice;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    CLOCK.advance(Duration.ofHours(25)); // an unsigned interval of the day before is due
    billing = RunningBilling.start(folder, CLOCK);
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @BeforeEach
  void open() throws Exception {
    operator = billing.operator();
    alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, alice);
  }

  private void post(String path, String body) throws Exception {
    Answer answer =
        billing.call(
            "POST",
            "/api/v1/accounts/" + alice + path,
            operator,
            body,
            Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(201);
  }

  private Answer statement(YearMonth month, String zone) throws Exception {
    return billing.get(
        "/api/v1/accounts/%s/statements/%s?zone=%s".formatted(alice, month, zone), operator);
  }

  private static YearMonth now() {
    return YearMonth.from(CLOCK.instant().atZone(ZoneOffset.UTC));
  }

  // What the ledger itself says, read without the statement's queries.
  private long balance(Instant before) {
    return SharedDatabase.jdbc()
        .queryForObject(
            "select coalesce(sum(p.amount_microdenarii), 0) from posting p join ledger_transaction t on t.id = p.transaction_id"
                + " where p.account = ? and t.posted_at < ?::timestamptz",
            Long.class,
            "USER:" + alice,
            before.toString());
  }

  private static long amount(JsonNode node, String key) {
    return Long.parseLong(node.get(key).asString());
  }

  @Test
  void openingMovementsAndChargesAddUpToTheClosingBalanceOfTheLedger() throws Exception {
    post("/top-ups", "{\"amountMicrodenarii\":\"90000000\",\"reference\":\"r\"}");
    post("/credits", "{\"amountMicrodenarii\":\"250000\",\"reason\":\"line was down\"}");
    post(
        "/grants",
        "{\"amountMicrodenarii\":\"4000000\",\"expiresAt\":\"2099-01-01T00:00:00Z\",\"reason\":\"hello\"}");
    long voided = UndecidedReports.unsigned(alice);
    Answer decided =
        billing.post(
            "/api/v1/reports/unsigned/" + voided + "/void",
            operator,
            "{\"reason\":\"no receipt\"}");
    assertThat(decided.status()).as(decided.raw().body()).isEqualTo(200);
    UndecidedReports.unsigned(alice);

    JsonNode statement = statement(now(), "UTC").body();
    assertThat(statement.get("whole").asBoolean()).isFalse();
    long movements = 0;
    for (JsonNode movement : statement.get("movements")) {
      movements += amount(movement, "amountMicrodenarii");
    }
    assertThat(statement.get("movements")).hasSize(3);
    long net = 0;
    for (JsonNode row : statement.get("charges")) {
      long sum =
          amount(row, "chargeMicrodenarii")
              - amount(row, "discountMicrodenarii")
              + amount(row, "accessFeeMicrodenarii")
              + amount(row, "surchargeMicrodenarii")
              - amount(row, "promiseRefundMicrodenarii");
      assertThat(amount(row, "netMicrodenarii")).as(row.toString()).isEqualTo(sum);
      net += sum;
    }
    assertThat(net).isPositive().isEqualTo(amount(statement.get("total"), "netMicrodenarii"));
    assertThat(movements).isEqualTo(94_250_000);
    assertThat(amount(statement, "openingMicrodenarii")).isZero();
    assertThat(amount(statement, "closingMicrodenarii"))
        .isEqualTo(movements - net)
        .isEqualTo(balance(CLOCK.instant().plusSeconds(1)));
  }

  @Test
  void feesAndRefundsAreSumsOfTheirOwnAndTheNextMonthBeginsWhereThisOneEnds() throws Exception {
    for (int seed = 0; seed < 3; seed++) {
      Random random = new Random(seed);
      PostedReports.post(
          alice,
          SeedTariff.at(OperatingPoint.OFFERED, TERMS),
          java.util.List.of(
              Reports.flow(1, "skype-video", 200_000 + random.nextInt(90_000), 100_000, 500),
              Reports.flow(2, "web", 500_000 + random.nextInt(90_000), 400_000, 90)));
    }
    // Those reports are of a month far ahead, at which a clock that is there may look.
    Instant posted =
        SharedDatabase.jdbc()
            .queryForObject(
                "select max(t.posted_at) from posting p join ledger_transaction t on t.id = p.transaction_id where p.account = ?",
                java.sql.Timestamp.class,
                "USER:" + alice)
            .toInstant();
    Statements statements =
        new Statements(SharedDatabase.client(), new Snapshot(SharedDatabase.transactions()));
    YearMonth month = YearMonth.from(posted.atZone(ZoneOffset.UTC));
    Instant later = posted.plus(Duration.ofDays(70));
    Statement first = statements.of(alice, month, ZoneOffset.UTC, later);
    assertThat(first.isWhole()).isTrue();
    assertThat(first.total().accessFee().value()).isPositive();
    assertThat(first.total().refund().value()).isPositive();
    assertThat(first.total().discount().value()).isPositive();
    assertThat(first.charges()).extracting(Statement.DayCharges::count).containsExactly(6L);
    Statement second = statements.of(alice, month.plusMonths(1), ZoneOffset.UTC, later);
    assertThat(second.opening()).isEqualTo(first.closing());
    assertThat(second.charges()).isEmpty();
    assertThat(first.closing().value()).isEqualTo(balance(later));
  }

  @Test
  void daysAreThoseOfTheZone() throws Exception {
    UndecidedReports.unsigned(alice);
    Instant posted =
        SharedDatabase.jdbc()
            .queryForObject(
                "select max(t.posted_at) from posting p join ledger_transaction t on t.id = p.transaction_id where p.account = ?",
                java.sql.Timestamp.class,
                "USER:" + alice)
            .toInstant();
    for (String zone : new String[] {"UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"}) {
      var local = posted.atZone(ZoneId.of(zone));
      JsonNode statement = statement(YearMonth.from(local), zone).body();
      assertThat(statement.get("zone").asString()).isEqualTo(zone);
      assertThat(statement.at("/charges/0/day").asString())
          .isEqualTo(local.toLocalDate().toString());
    }
  }

  @Test
  void theFileHasALineForEachSum() throws Exception {
    post("/top-ups", "{\"amountMicrodenarii\":\"7000000\",\"reference\":\"r\"}");
    Answer file =
        billing.get(
            "/api/v1/accounts/%s/statements/%s/lines.csv".formatted(alice, now()), operator);
    assertThat(file.raw().body().lines())
        .containsExactly(
            "line,kind,day,serviceClass,count,chargeMicrodenarii,discountMicrodenarii,accessFeeMicrodenarii,surchargeMicrodenarii,promiseRefundMicrodenarii,balanceMicrodenarii",
            "opening,,,,,,,,,,0",
            "movement,TOP_UP,,,1,,,,,,7000000",
            "closing,,,,,,,,,,7000000");
  }

  @Test
  void wrongMonthsAndZonesAreRefusedAndStatementsArePrivate() throws Exception {
    assertThat(statement(now().plusMonths(1), "UTC").body().get("detail").asString())
        .contains("the month must have begun");
    String path = "/api/v1/accounts/" + alice + "/statements/";
    for (String month : new String[] {"2026-13", "2026", "november"}) {
      assertThat(billing.get(path + month, operator).body().get("detail").asString())
          .contains("a month is written such as 2026-11, got '" + month + "'");
    }
    assertThat(statement(now(), "EST").body().get("detail").asString())
        .contains("zone must be UTC or a time zone such as Europe/Rome");
    assertThat(
            billing
                .get("/api/v1/accounts/" + alice + "/usage?by=day&zone=EST", operator)
                .body()
                .get("detail")
                .asString())
        .contains("zone must be UTC or a time zone such as Europe/Rome, got 'EST'");
    assertThat(statement(now(), "CET'").body().get("detail").asString())
        .contains("zone must be UTC or a time zone such as Europe/Rome");
    String bob = "bob-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, bob);
    String token = billing.logIn(bob, "password-of-" + bob);
    assertThat(billing.get(path + now(), token).status()).isEqualTo(404);
  }
}
