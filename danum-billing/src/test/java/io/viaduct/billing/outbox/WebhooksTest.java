package io.viaduct.billing.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.PostedReports;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.rerating.Reratings;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.TariffBook;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Webhooks from REST to a real receiver, over a real PostgreSQL.
class WebhooksTest {
  private static final String CONFIGURATION =
      "webhooks: {allowed-networks: [127.0.0.0/8], attempts: 3, failures: 2}";
  private static final ManualClock CLOCK = new ManualClock();
  private static final Map<String, List<Received>> RECEIVED = new ConcurrentHashMap<>();
  private static final Map<String, AtomicInteger> FAILING = new ConcurrentHashMap<>();

  private static HttpServer receiver;
  private static Path home;
  private static RunningBilling billing;
  private static String operator;

  private final String alice = "hook-" + UUID.randomUUID().toString().substring(0, 8);
  private final String place = "/" + alice;
  private String login;

  private record Received(String signature, String kind, String key, String body) {
    JsonNode json() {
      return JsonMapper.shared().readTree(body);
    }
  }

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    home = folder;
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/", WebhooksTest::receive);
    receiver.start();
    billing = RunningBilling.start(home, CLOCK, CONFIGURATION);
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
    receiver.stop(0);
  }

  private static void receive(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    var headers = exchange.getRequestHeaders();
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    boolean fails =
        FAILING.getOrDefault(path, new AtomicInteger()).getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    if (!fails) {
      RECEIVED
          .computeIfAbsent(path, _ -> new CopyOnWriteArrayList<>())
          .add(
              new Received(
                  headers.getFirst("Viaduct-Signature"),
                  headers.getFirst("Viaduct-Event"),
                  headers.getFirst("Idempotency-Key"),
                  body));
    }
    exchange.sendResponseHeaders(fails ? 500 : 204, -1);
    exchange.close();
  }

  @BeforeEach
  void openAccount() throws Exception {
    billing.openAccount(operator, alice);
    login = billing.logIn(alice, "password-of-" + alice);
  }

  private String hooks(String account) {
    return "/api/v1/accounts/" + account + "/webhooks";
  }

  private static String url(String path) {
    return "http://127.0.0.1:" + receiver.getAddress().getPort() + path;
  }

  private Answer make(String account, String by, String url, String events, boolean all)
      throws Exception {
    return billing.post(
        hooks(account),
        by,
        "{\"url\":\"%s\",\"events\":[%s]%s}"
            .formatted(url, events, all ? ",\"allAccounts\":true" : ""));
  }

  private Answer made(String account, String by, String path, String events, boolean all)
      throws Exception {
    Answer made = make(account, by, url(path), events, all);
    assertThat(made.status()).as(made.raw().body()).isEqualTo(201);
    return made;
  }

  private void topUp(String account) throws Exception {
    Answer posted =
        billing.call(
            "POST",
            "/api/v1/accounts/" + account + "/top-ups",
            operator,
            "{\"amountMicrodenarii\":\"2000000\",\"reference\":\"invoice 7\"}",
            Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    assertThat(posted.status()).isEqualTo(201);
  }

  private List<Received> received(int least) {
    await().until(() -> RECEIVED.getOrDefault(place, List.of()).size() >= least);
    return RECEIVED.get(place);
  }

  private JsonNode delivery(String id) throws Exception {
    return billing.get(hooks(alice) + "/" + id + "/deliveries", login).body().at("/deliveries/0");
  }

  private static String hmac(String secret, String signature, String body) throws Exception {
    String time = signature.replaceAll("^t=([0-9]+),.*", "$1");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    return HexFormat.of().formatHex(mac.doFinal((time + "." + body).getBytes(UTF_8)));
  }

  @Test
  void aTopUpIsToldWithASignatureThatItsReceiverCanCheck() throws Exception {
    Answer made = made(alice, login, place, "\"top-up.posted\"", false);
    String secret = made.body().get("secret").asString();
    topUp(alice);
    Received told = received(1).getFirst();
    assertThat(told.kind()).isEqualTo("top-up.posted");
    assertThat(told.json().get("account").asString()).isEqualTo(alice);
    assertThat(told.json().at("/data/amountMicrodenarii").asString()).isEqualTo("2000000");
    assertThat(told.json().get("id").asString()).isEqualTo(told.key());
    assertThat(told.signature())
        .isEqualTo(
            "t=%d,v1=%s"
                .formatted(
                    CLOCK.instant().getEpochSecond(), hmac(secret, told.signature(), told.body())));
    String id = made.body().at("/webhook/id").asString();
    await().until(() -> delivery(id).get("state").asString().equals("delivered"));
    assertThat(delivery(id).get("lastStatus").asInt()).isEqualTo(204);
  }

  @Test
  void theSecretIsStoredSealedOnly() throws Exception {
    String secret =
        made(alice, login, place, "\"balance.low\"", false).body().get("secret").asString();
    String rows =
        SharedDatabase.jdbc()
            .queryForObject(
                "select string_agg(w::text, ',') from webhook_endpoint w where account = ?",
                String.class,
                alice);
    assertThat(rows)
        .doesNotContain(secret)
        .doesNotContain(HexFormat.of().formatHex(secret.getBytes(UTF_8)));
    assertThat(billing.get(hooks(alice), login).raw().body()).doesNotContain(secret);
  }

  @Test
  void anAccountGetsNothingOfAnotherOneAndAnOperatorAll() throws Exception {
    String bob = "bob-" + alice;
    billing.openAccount(operator, bob);
    made(alice, login, place, "\"top-up.posted\"", false);
    Answer all = made("operator", operator, place + "-all", "\"top-up.posted\"", true);
    topUp(bob);
    topUp(alice);
    assertThat(received(1)).extracting(r -> r.json().get("account").asString()).containsOnly(alice);
    String everything = place + "-all";
    await().until(() -> RECEIVED.getOrDefault(everything, List.of()).size() >= 2);
    assertThat(RECEIVED.get(everything))
        .extracting(r -> r.json().get("account").asString())
        .contains(alice, bob);
    assertThat(make(alice, login, url(place), "\"top-up.posted\"", true).status()).isEqualTo(400);
    String id = all.body().at("/webhook/id").asString();
    assertThat(billing.get(hooks("operator") + "/" + id, login).status()).isEqualTo(404);
    assertThat(billing.get(hooks(alice) + "/" + id, login).status()).isEqualTo(404);
    billing.call("DELETE", hooks("operator") + "/" + id, operator, null, Map.of());
  }

  @Test
  void aFailedDeliveryIsRepeatedWithGrowingPausesAndThenGivenUp() throws Exception {
    String id =
        made(alice, login, place, "\"top-up.posted\"", false).body().at("/webhook/id").asString();
    FAILING.put(place, new AtomicInteger(3));
    topUp(alice);
    await().until(() -> delivery(id).get("lastError").asString().equals("status 500"));
    assertThat(delivery(id).get("nextAttemptAt").asString())
        .isEqualTo(CLOCK.instant().plusSeconds(2).toString());
    CLOCK.advance(Duration.ofSeconds(2));
    await().until(() -> delivery(id).get("attempts").asInt() == 2 && isIdle(id));
    assertThat(delivery(id).get("nextAttemptAt").asString())
        .isEqualTo(CLOCK.instant().plusSeconds(4).toString());
    CLOCK.advance(Duration.ofSeconds(4));
    await().until(() -> delivery(id).get("state").asString().equals("dead"));
    assertThat(RECEIVED.get(place)).isNull();

    Answer again =
        billing.call(
            "POST",
            hooks(alice)
                + "/"
                + id
                + "/deliveries/"
                + delivery(id).get("id").asString()
                + "/resend",
            login,
            null,
            Map.of());
    assertThat(again.status()).isEqualTo(204);
    assertThat(received(1)).hasSize(1);
    await().until(() -> delivery(id).get("state").asString().equals("delivered"));
  }

  private boolean isIdle(String id) throws Exception {
    return delivery(id).get("lastError").asString().equals("status 500")
        && FAILING.get(place).get() == 1;
  }

  @Test
  void anEndpointThatNeverAnswersIsDisabledUntilSomebodyEnablesIt() throws Exception {
    String id =
        made(alice, login, place, "\"top-up.posted\"", false).body().at("/webhook/id").asString();
    FAILING.put(place, new AtomicInteger(6));
    topUp(alice);
    topUp(alice);
    String path = hooks(alice) + "/" + id;
    await()
        .until(() -> {
          CLOCK.advance(Duration.ofSeconds(1));
          return billing.get(path, login).body().get("state").asString().equals("disabled");
        });
    topUp(alice);
    assertThat(billing.get(path + "/deliveries", login).body().get("deliveries")).hasSize(2);
    Answer enabled =
        billing.call(
            "PUT",
            path,
            login,
            "{\"url\":\"%s\",\"events\":[\"top-up.posted\"]}".formatted(url(place)),
            billing.ifMatch(path, login));
    assertThat(enabled.body().get("state").asString()).isEqualTo("active");
    topUp(alice);
    assertThat(received(1)).hasSize(1);
  }

  @Test
  void whatWasNotDeliveredSurvivesARestart() throws Exception {
    made(alice, login, place, "\"top-up.posted\"", false);
    FAILING.put(place, new AtomicInteger(1));
    topUp(alice);
    await().until(() -> FAILING.get(place).get() == 0);
    billing.close();
    CLOCK.advance(Duration.ofMinutes(1)); // beyond the lease, if its outcome was not stored
    billing = RunningBilling.start(home, CLOCK, CONFIGURATION);
    operator = billing.operator();
    assertThat(received(1)).hasSize(1);
  }

  @Test
  void anEventOfATransactionThatIsRolledBackIsNotTold() throws Exception {
    String id =
        made(alice, login, place, "\"report.held\",\"top-up.posted\"", false)
            .body()
            .at("/webhook/id")
            .asString();
    SharedDatabase.transaction()
        .executeWithoutResult(status -> {
          SharedDatabase.jdbc()
              .update(
                  "insert into credit_notice (account, state, credit_microdenarii, noticed_at, delivery, next_attempt_at)"
                      + " values (?, 'LOW', 1, now(), 'NONE', now())",
                  alice);
          status.setRollbackOnly();
        });
    assertThat(billing.get(hooks(alice) + "/" + id + "/deliveries", login).body().get("deliveries"))
        .isEmpty();
  }

  @Test
  void aDiscrepancyIsToldWithWhatItsNumbersCount() throws Exception {
    Answer made = made("operator", operator, place, "\"report.discrepancy\"", true);
    PostedReports.byBothEnds(alice, 3_000_000);
    JsonNode told =
        received(1).stream()
            .map(each -> each.json().get("data"))
            .filter(each -> each.get("account").asString().equals(alice))
            .findFirst()
            .orElseThrow();
    assertThat(told.get("basis").asString()).isEqualTo("interval");
    assertThat(told.get("snaptBytes").asString()).isEqualTo("3975000");
    assertThat(told.get("deviceBytes").asString()).isEqualTo("6975000");
    String id = told.get("discrepancy").asString();
    JsonNode list =
        billing
            .get("/api/v1/reports/discrepancies?limit=500", operator)
            .body()
            .get("discrepancies");
    assertThat(list)
        .filteredOn(each -> each.get("id").asString().equals(id))
        .singleElement()
        .satisfies(each -> assertThat(each.get("basis").asString()).isEqualTo("interval"));
    billing.call(
        "DELETE",
        hooks("operator") + "/" + made.body().at("/webhook/id").asString(),
        operator,
        null,
        billing.ifMatch(
            hooks("operator") + "/" + made.body().at("/webhook/id").asString(), operator));
  }

  @Test
  void aBillIsToldAndToldAgainWithItsRevisionAfterARerating() throws Exception {
    made(alice, login, place, "\"charge.posted\"", false);
    PostedReports.postNow(alice, Reports.workedExample());
    CLOCK.advance(Duration.ofMinutes(5)); // the report has a clock of its own
    JsonNode posted = received(1).getFirst().json().get("data");
    assertThat(posted.get("revision").asInt()).isZero();
    long paid = -balance(alice);
    assertThat(posted.get("netMicrodenarii").asString()).isEqualTo(Long.toString(paid));

    int corrected =
        billing
            .parts
            .getBean(TariffBook.class)
            .add(
                SeedTariff.at(OperatingPoint.MEASURED, "{\"fees\":{\"PER_MINUTE\":0.5}}"),
                Instant.parse("2400-01-01T00:00:00Z"),
                "operator",
                CLOCK.instant())
            .version();
    Instant start = OffsetDateTime.parse(posted.get("startedAt").asString()).toInstant();
    billing
        .parts
        .getBean(Reratings.class)
        .begin(
            new ReratingOrder(
                "fee-" + alice,
                start,
                start.plusSeconds(1),
                alice,
                null,
                corrected,
                "the fee was forgotten",
                "operator"),
            CLOCK.instant());
    Received again = received(2).getLast();
    assertThat(again.kind()).isEqualTo("charge.posted");
    JsonNode revised = again.json().get("data");
    assertThat(revised.get("interval")).isEqualTo(posted.get("interval"));
    assertThat(revised.get("chargeMicrodenarii")).isEqualTo(posted.get("chargeMicrodenarii"));
    assertThat(revised.get("revision").asInt()).isEqualTo(1);
    assertThat(revised.get("netMicrodenarii").asString())
        .isEqualTo(Long.toString(paid + 500_000))
        .isEqualTo(Long.toString(-balance(alice)));
  }

  private static long balance(String account) {
    return SharedDatabase.client()
        .sql("select balance_microdenarii from credit_account where account = ?")
        .param(account)
        .query(Long.class)
        .single();
  }

  @Test
  void afterARotationBothSecretsSignForADay() throws Exception {
    Answer made = made(alice, login, place, "\"top-up.posted\"", false);
    String old = made.body().get("secret").asString();
    String id = made.body().at("/webhook/id").asString();
    String fresh =
        billing
            .call("POST", hooks(alice) + "/" + id + "/secret", login, null, Map.of())
            .body()
            .get("secret")
            .asString();
    topUp(alice);
    Received told = received(1).getFirst();
    assertThat(told.signature())
        .contains(
            "v1=" + hmac(fresh, told.signature(), told.body()),
            "v1=" + hmac(old, told.signature(), told.body()));
    CLOCK.advance(Duration.ofHours(24));
    operator = billing.operator();
    topUp(alice);
    Received later = received(2).getLast();
    assertThat(later.signature())
        .endsWith(",v1=" + hmac(fresh, later.signature(), later.body()))
        .doesNotContain(hmac(old, later.signature(), later.body()));
  }

  @Test
  void internalAddressesAreRefused() throws Exception {
    for (String url :
        List.of(
            "https://10.1.2.3/x",
            "https://169.254.169.254/latest/meta-data",
            "https://[::1]/",
            "https://[fd00::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[64:ff9b::a00:1]/",
            "http://192.0.2.1/",
            "http://user:password@127.0.0.1/",
            "ftp://127.0.0.1/",
            "file:///etc/passwd")) {
      Answer refused = make(alice, login, url, "\"top-up.posted\"", false);
      assertThat(refused.status()).as(url).isEqualTo(400);
      assertThat(refused.body().get("detail").asString()).as(url).contains("url");
    }
  }
}
