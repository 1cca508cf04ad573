package io.viaduct.billing.credit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.webhook.WebhookSignature;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.ServiceClass;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Notices of low credit: once per edge, to the webhook and to the account's event streams.
class CreditNoticeTest {
  private static final long DENARIUS = 1_000_000;
  private static final String SECRET = "a secret of both ends";
  private static final ManualClock CLOCK = new ManualClock();
  private static final List<Delivery> DELIVERIES = new CopyOnWriteArrayList<>();
  private static final AtomicInteger FAILURES = new AtomicInteger();

  private static HttpServer receiver;
  private static RunningBilling billing;
  private static String operator;
  private static CreditBridge bridge;

  private final String account = "notice-" + UUID.randomUUID().toString().substring(0, 8);

  private record Delivery(String signature, String key, String body) {
    String field(String name) {
      return JsonMapper.shared().readTree(body).get(name).asString();
    }
  }

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/notices", CreditNoticeTest::receive);
    receiver.start();
    billing =
        RunningBilling.start(
            folder,
            CLOCK,
            "verification-period: 1s\ncredit: {low: 5, hysteresis: 1, webhook: {url: 'http://127.0.0.1:%d/notices', secret-file: %s}}"
                .formatted(
                    receiver.getAddress().getPort(),
                    TestAuthority.secret(folder.resolve("webhook.secret"), SECRET)));
    operator = billing.operator();
    bridge = new CreditBridge(billing, "ims-bridge");
  }

  private static void receive(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    boolean fails = FAILURES.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    if (!fails) {
      DELIVERIES.add(
          new Delivery(
              exchange.getRequestHeaders().getFirst(WebhookSignature.HEADER),
              exchange.getRequestHeaders().getFirst("Idempotency-Key"),
              body));
    }
    exchange.sendResponseHeaders(fails ? 503 : 204, -1);
    exchange.close();
  }

  @AfterAll
  static void stop() throws Exception {
    bridge.close();
    billing.close();
    receiver.stop(0);
  }

  private void topUp(long microdenarii) throws Exception {
    assertThat(
            billing
                .call(
                    "POST",
                    "/api/v1/accounts/" + account + "/top-ups",
                    operator,
                    "{\"amountMicrodenarii\":\"%d\",\"reference\":\"cash\"}"
                        .formatted(microdenarii),
                    Map.of("Idempotency-Key", UUID.randomUUID().toString()))
                .status())
        .isEqualTo(201);
  }

  private List<Delivery> deliveries() {
    return DELIVERIES.stream().filter(d -> d.field("account").equals(account)).toList();
  }

  private List<String> states() {
    return deliveries().stream().map(d -> d.field("state")).toList();
  }

  private void untilStates(String... expected) {
    await()
        .atMost(Duration.ofSeconds(45))
        .untilAsserted(() -> assertThat(states()).containsExactly(expected));
  }

  /// Posts a charge of at most 0.6 den for each second.
  private void spend(int seconds) throws Exception {
    MeteredSession web = new MeteredSession("snapt-n", account, "web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(8_000L * seconds, 1000L * seconds);
    bridge.ask(web.request(CreditRequestType.TERMINATION));
    bridge.submit(web.report(CLOCK.instant(), 100, true), CLOCK.instant());
  }

  @Test
  void eachStateIsNoticedOnceOnTheWayDownAndUp() throws Exception {
    billing.openAccount(operator, account);
    topUp(7 * DENARIUS);
    while (balance() >= 5 * DENARIUS) {
      spend(10);
    }
    untilStates("LOW");
    topUp(1); // around the threshold nothing is noticed again
    while (balance() > 0) {
      spend(30);
    }
    untilStates("LOW", "EXHAUSTED");
    assertThat(Long.parseLong(deliveries().getLast().field("creditMicrodenarii")))
        .isLessThanOrEqualTo(0);
    spend(30); // below zero nothing is noticed again
    topUp(20 * DENARIUS - balance());
    untilStates("LOW", "EXHAUSTED", "SUFFICIENT");
  }

  private long balance() throws Exception {
    return credit().get("balanceMicrodenarii").asLong();
  }

  private void alert(String body) throws Exception {
    String path = "/api/v1/accounts/" + account + "/credit";
    String own = billing.logIn(account, "password-of-" + account);
    String tag = billing.get(path, own).raw().headers().firstValue("ETag").orElseThrow();
    RunningBilling.Answer set =
        billing.call("PUT", path + "/alert", own, body, Map.of("If-Match", tag));
    assertThat(set.status()).as(set.raw().body()).isEqualTo(200);
    assertThat(billing.call("PUT", path + "/alert", own, body, Map.of("If-Match", tag)).status())
        .as("an old version")
        .isEqualTo(412);
  }

  @Test
  void aUserIsToldBelowTheOwnThreshold() throws Exception {
    billing.openAccount(operator, account);
    topUp(8 * DENARIUS);
    alert("{\"lowMicrodenarii\":\"10000000\"}");
    untilStates("LOW");
    topUp(2 * DENARIUS); // within the hysteresis
    alert("{\"lowMicrodenarii\":\"9500000\"}");
    topUp(1 * DENARIUS);
    untilStates("LOW", "SUFFICIENT");
    alert("{\"lowMicrodenarii\":\"12000000\"}");
    untilStates("LOW", "SUFFICIENT", "LOW");
    alert("{}"); // the operator's threshold is 5 denarii
    untilStates("LOW", "SUFFICIENT", "LOW", "SUFFICIENT");
    String notices = "/api/v1/accounts/" + account + "/credit/notices";
    assertThat(billing.get(notices, operator).body().get("notices")).hasSize(4);
  }

  private void grant(long microdenarii, Duration lasting) throws Exception {
    assertThat(
            billing
                .call(
                    "POST",
                    "/api/v1/accounts/" + account + "/grants",
                    operator,
                    "{\"amountMicrodenarii\":\"%d\",\"expiresAt\":\"%s\",\"reason\":\"welcome\"}"
                        .formatted(microdenarii, CLOCK.instant().plus(lasting)),
                    Map.of("Idempotency-Key", UUID.randomUUID().toString()))
                .status())
        .isEqualTo(201);
  }

  private JsonNode credit() throws Exception {
    return billing.get("/api/v1/accounts/" + account + "/credit", operator).body();
  }

  @Test
  void aGrantThatHasExpiredIsNoCreditWhileItWaitsForReportsOfUseFromBefore() throws Exception {
    billing.openAccount(operator, account);
    grant(50 * DENARIUS, Duration.ofMinutes(5));
    topUp(1);
    MeteredSession web = new MeteredSession("snapt-n", account, "web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(8_000, 1000);
    bridge.ask(web.request()); // told and not reported: the grant waits for it
    CLOCK.advance(Duration.ofMinutes(6));
    assertThat(credit().get("balanceMicrodenarii").asLong()).isEqualTo(50 * DENARIUS + 1);
    untilStates("LOW"); // 1 micro-denarius is left, and the operator's threshold is 5 denarii
    assertThat(deliveries().getLast().field("creditMicrodenarii")).isEqualTo("1");
    topUp(1);
    CLOCK.advance(Duration.ofMinutes(10));
    await().until(() -> balance() == 2);
    assertThat(states()).as("the expiry is posted, and changes no credit").containsExactly("LOW");
  }

  @Test
  void trafficIsRefusedOnceTheOnlyMoneyHasExpired() throws Exception {
    billing.openAccount(operator, account);
    grant(50 * DENARIUS, Duration.ofMinutes(5));
    MeteredSession web = new MeteredSession("snapt-n", account, "web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(8_000, 1000);
    bridge.ask(web.request());
    assertThat(credit().get("refused").asString()).isEqualTo("none");
    CLOCK.advance(Duration.ofMinutes(6));
    assertThat(credit().get("refused").asString()).isEqualTo("credit");
    assertThat(balance()).isEqualTo(50 * DENARIUS);
    untilStates("EXHAUSTED");
  }

  @Test
  void aNoticeIsSignedAndRepeatedUntilTheReceiverTakesIt() throws Exception {
    FAILURES.set(2);
    billing.openAccount(operator, account);
    bridge.ask(new MeteredSession("snapt-n", account, "web", ServiceClass.HT_HD).request());
    await()
        .atMost(Duration.ofSeconds(45))
        .until(() -> {
          CLOCK.advance(Duration.ofSeconds(1));
          return !deliveries().isEmpty();
        });
    Delivery delivery = deliveries().getFirst();
    String time = delivery.signature().replaceAll("t=(\\d+),v1=.*", "$1");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), "HmacSHA256"));
    String expected =
        HexFormat.of().formatHex(mac.doFinal((time + "." + delivery.body()).getBytes(UTF_8)));
    assertThat(delivery.signature()).isEqualTo("t=%s,v1=%s".formatted(time, expected));
    assertThat(delivery.key()).isEqualTo(delivery.field("id"));
    await()
        .untilAsserted(() ->
            assertThat(
                    SharedDatabase.jdbc()
                        .queryForMap(
                            "select delivery, last_error from credit_notice where id = ?",
                            Long.valueOf(delivery.key())))
                .containsEntry("delivery", "DELIVERED")
                .containsEntry("last_error", ""));
    assertThat(billing.counter("viaduct_credit_notices_total{outcome=\"failed\"}"))
        .isGreaterThanOrEqualTo(2);
  }

  @Test
  void theEventStreamOfTheAccountShowsTheNotice() throws Exception {
    billing.openAccount(operator, account);
    HttpResponse<Stream<String>> stream =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(billing.uri("/api/v1/accounts/" + account + "/events"))
                    .header("Authorization", "Bearer " + operator)
                    .build(),
                HttpResponse.BodyHandlers.ofLines());
    bridge.ask(new MeteredSession("snapt-n", account, "web", ServiceClass.HT_HD).request());
    try (Stream<String> lines = stream.body()) {
      assertThat(
              lines
                  .dropWhile(line -> !line.equals("event:credit"))
                  .skip(1)
                  .findFirst()
                  .orElseThrow())
          .contains(account)
          .contains("\"state\":\"exhausted\"");
    }
  }
}
