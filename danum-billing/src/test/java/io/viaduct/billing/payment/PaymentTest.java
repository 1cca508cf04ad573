package io.viaduct.billing.payment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Payments and the provider's events, against a running billing.
class PaymentTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static final String SECRET = "a secret of the provider";
  private static RunningBilling billing;

  private String operator;
  private String alice;
  private String token;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    Path secret = Files.writeString(folder.resolve("provider.secret"), SECRET + "\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    billing =
        RunningBilling.start(
            folder,
            CLOCK,
            "payments: {page: 'https://pay.example/checkout?shop=7', secret-file: %s}"
                .formatted(secret));
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
    token = billing.logIn(alice, "password-of-" + alice);
  }

  private Answer start(long amount, String key) throws Exception {
    return billing.call(
        "POST",
        "/api/v1/accounts/" + alice + "/payments",
        token,
        "{\"amountMicrodenarii\":\"" + amount + "\"}",
        Map.of("Idempotency-Key", key));
  }

  private JsonNode started(long amount) throws Exception {
    Answer answer = start(amount, key());
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(201);
    return answer.body();
  }

  private static String key() {
    return UUID.randomUUID().toString();
  }

  private static String event(String id, String type, String payment, String account, long amount) {
    return "{\"id\":\"%s\",\"type\":\"%s\",\"payment\":\"%s\",\"account\":\"%s\",\"amountMicrodenarii\":\"%d\",\"currency\":\"den\"}"
        .formatted(id, type, payment, account, amount);
  }

  // The provider's part of the signature, computed without billing's code.
  private static String signed(String secret, Instant at, String body) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    byte[] sum = mac.doFinal((at.getEpochSecond() + "." + body).getBytes(UTF_8));
    return "t=" + at.getEpochSecond() + ",v1=" + HexFormat.of().formatHex(sum);
  }

  private static Answer deliver(String body, String signature) throws Exception {
    return billing.call(
        "POST", "/api/v1/payments/events", null, body, Map.of("Viaduct-Signature", signature));
  }

  private static Answer deliver(String body) throws Exception {
    return deliver(body, signed(SECRET, CLOCK.instant(), body));
  }

  private String balance() throws Exception {
    return billing
        .get("/api/v1/accounts/" + alice + "/balance", operator)
        .body()
        .get("postedMicrodenarii")
        .asString();
  }

  private JsonNode shown() throws Exception {
    return billing.get("/api/v1/accounts/" + alice + "/payments", token).body().at("/payments/0");
  }

  private static double events(String outcome) throws Exception {
    return billing.counter("viaduct_payment_events_total{outcome=\"" + outcome + "\"");
  }

  @Test
  void aPaidPaymentIsPostedOnceHoweverOftenItsEventIsDelivered() throws Exception {
    JsonNode payment = started(25_000_000);
    String id = payment.get("id").asString();
    assertThat(payment.get("state").asString()).isEqualTo("started");
    assertThat(payment.get("payUrl").asString())
        .isEqualTo(
            "https://pay.example/checkout?shop=7&payment=%s&account=%s&amount=25000000"
                .formatted(id, alice));
    String event = event("evt_" + key(), "payment.paid", id, alice, 25_000_000);
    Answer posted = deliver(event);
    assertThat(posted.status()).as(posted.raw().body()).isEqualTo(200);
    assertThat(posted.body().get("outcome").asString()).isEqualTo("posted");
    CLOCK.advance(Duration.ofMinutes(30)); // a retry is signed anew
    assertThat(deliver(event).body().get("outcome").asString()).isEqualTo("repeated");
    assertThat(balance()).isEqualTo("25000000");
    assertThat(shown().get("state").asString()).isEqualTo("paid");
    assertThat(shown().get("payUrl").isNull()).isTrue();
    JsonNode topUp =
        billing.get("/api/v1/accounts/" + alice + "/top-ups", token).body().at("/topUps/0");
    assertThat(topUp.get("reference").asString()).isEqualTo("payment " + id);
    assertThat(topUp.get("transaction")).isEqualTo(shown().get("transaction"));

    String second = event("evt_" + key(), "payment.paid", id, alice, 25_000_000);
    assertThat(deliver(second).body().get("detail").asString())
        .contains("was paid by another event");
    assertThat(balance()).isEqualTo("25000000");
    Answer verified = billing.get("/api/v1/ledger/verification", operator);
    assertThat(verified.body().get("holds").asBoolean()).as(verified.raw().body()).isTrue();
  }

  @Test
  void deliveriesAtTheSameTimePostOnce() throws Exception {
    String id = started(3_000_000).get("id").asString();
    String event = event("evt_" + key(), "payment.paid", id, alice, 3_000_000);
    List<Callable<String>> deliveries = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      deliveries.add(() -> deliver(event).body().path("outcome").asString());
    }
    List<String> outcomes = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<String> outcome : threads.invokeAll(deliveries)) {
        outcomes.add(outcome.get());
      }
    }
    assertThat(outcomes).containsOnlyOnce("posted").contains("repeated").hasSize(12);
    assertThat(balance()).isEqualTo("3000000");
  }

  @Test
  void aFailedPaymentMayStillBePaid() throws Exception {
    String id = started(2_000_000).get("id").asString();
    deliver(event("evt_" + key(), "payment.failed", id, alice, 2_000_000));
    assertThat(shown().get("state").asString()).isEqualTo("failed");
    assertThat(balance()).isEqualTo("0");
    deliver(event("evt_" + key(), "payment.paid", id, alice, 2_000_000));
    assertThat(shown().get("state").asString()).isEqualTo("paid");
    assertThat(balance()).isEqualTo("2000000");
  }

  @Test
  void anEventThatIsNotSignedByTheProviderJustNowChangesNothing() throws Exception {
    String id = started(2_000_000).get("id").asString();
    String event = event("evt_" + key(), "payment.paid", id, alice, 2_000_000);
    double wrong = events("wrong_signature");
    double stale = events("stale_signature");
    Answer unsigned = billing.post("/api/v1/payments/events", null, event);
    assertThat(unsigned.status()).isEqualTo(401);
    assertThat(unsigned.problem()).isEqualTo("signature-refused");
    assertThat(deliver(event, signed("guessed", CLOCK.instant(), event)).status()).isEqualTo(401);
    String dearer = event.replace("\"2000000\"", "\"9000000\"");
    assertThat(deliver(dearer, signed(SECRET, CLOCK.instant(), event)).status()).isEqualTo(401);
    Answer old = deliver(event, signed(SECRET, CLOCK.instant().minusSeconds(301), event));
    assertThat(old.body().get("detail").asString()).contains("more than 300 s away");
    assertThat(events("wrong_signature") - wrong).isEqualTo(3);
    assertThat(events("stale_signature") - stale).isEqualTo(1);
    assertThat(balance()).isEqualTo("0");
    assertThat(deliver(event).body().get("outcome").asString()).isEqualTo("posted");
  }

  @Test
  void anEventThatDoesNotFitThePaymentIsRefusedAndCounted() throws Exception {
    String id = started(2_000_000).get("id").asString();
    String once = "evt_" + key();
    for (String[] unfit :
        new String[][] {
          {"wrong_amount", event(once, "payment.paid", id, alice, 1_999_999), "of another amount"},
          {
            "unknown_account",
            event(once, "payment.paid", id, "nobody", 2_000_000),
            "is not for account 'nobody'"
          },
          {
            "unknown_payment",
            event(once, "payment.paid", "0".repeat(32), alice, 2_000_000),
            "there is no payment"
          },
        }) {
      double before = events(unfit[0]);
      Answer refused = deliver(unfit[1]);
      assertThat(refused.problem()).isEqualTo("payment-refused");
      assertThat(refused.body().get("detail").asString()).contains(unfit[2]);
      assertThat(events(unfit[0]) - before).as(unfit[0]).isEqualTo(1);
    }
    assertThat(balance()).isEqualTo("0");
    assertThat(deliver(event(once, "payment.paid", id, alice, 2_000_000)).status())
        .as("a refused event is not remembered")
        .isEqualTo(200);
    Answer changed = deliver(event(once, "payment.failed", id, alice, 2_000_000));
    assertThat(changed.problem()).isEqualTo("idempotency-key-reused");
  }

  @Test
  void aSignedBodyThatIsNoEventIsRefusedAndAForeignEventIsIgnored() throws Exception {
    double malformed = events("malformed");
    List<String> bodies =
        List.of(
            "",
            "[]",
            "{}",
            "nonsense",
            "{\"id\":\"a b\",\"type\":\"payment.paid\"}",
            "{\"id\":\"e\",\"type\":\"payment.paid\"}",
            event("e", "payment.paid", "p", "a", 5).replace("\"5\"", "5"));
    for (String body : bodies) {
      Answer refused = deliver(body);
      assertThat(refused.status()).as(body + refused.raw().body()).isEqualTo(400);
    }
    assertThat(events("malformed") - malformed).isEqualTo(bodies.size());
    assertThat(
            deliver("{\"id\":\"e1\",\"type\":\"customer.created\"}")
                .body()
                .get("outcome")
                .asString())
        .isEqualTo("ignored");
  }

  @Test
  void paymentsAreBoundedAndStartedOncePerKey() throws Exception {
    String key = key();
    JsonNode first = start(1_000_000, key).body();
    assertThat(start(1_000_000, key).body()).isEqualTo(first);
    assertThat(start(2_000_000, key).problem()).isEqualTo("idempotency-key-reused");
    assertThat(start(999_999, key()).body().get("detail").asString())
        .contains("must be 1000000 to 1000000000 for a payment");
    for (int i = 1; i < Payments.OPEN_MAX; i++) {
      started(1_000_000);
    }
    Answer tooMany = start(1_000_000, key());
    assertThat(tooMany.problem()).isEqualTo("too-many-attempts");
    CLOCK.advance(Payments.OPEN_TIME.plusSeconds(1));
    token = billing.logIn(alice, "password-of-" + alice);
    started(1_000_000);
    String bob = "bob-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(billing.operator(), bob);
    String other = billing.logIn(bob, "password-of-" + bob);
    assertThat(billing.get("/api/v1/accounts/" + alice + "/payments", other).status())
        .isEqualTo(404);
  }

  @Test
  void paymentsThatAreStartedTogetherStayWithinTheBound() throws Exception {
    List<Callable<Answer>> starts = new ArrayList<>();
    for (int i = 0; i < Payments.OPEN_MAX + 10; i++) {
      starts.add(() -> start(1_000_000, key()));
    }
    int begun = 0;
    try (ExecutorService callers = Executors.newFixedThreadPool(8)) {
      for (Future<Answer> answer : callers.invokeAll(starts)) {
        begun += answer.get().status() == 201 ? 1 : 0;
      }
    }
    assertThat(begun).isEqualTo(Payments.OPEN_MAX);
  }

  @Test
  void anEventOfAnotherTypeIsIgnoredWhateverElseItHas() throws Exception {
    Answer answer =
        deliver(
            "{\"id\":\"evt_%s\",\"type\":\"payment.disputed\",\"payment\":{\"a\":[]}}"
                .formatted(key()));
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(200);
    assertThat(answer.body().get("outcome").asString()).isEqualTo("ignored");
  }

  @Test
  void withoutAProviderNothingCanBeStartedOrDelivered(@TempDir Path folder) throws Exception {
    try (RunningBilling none = RunningBilling.start(folder, CLOCK)) {
      String own = none.logIn(alice, "password-of-" + alice);
      Answer start =
          none.call(
              "POST",
              "/api/v1/accounts/" + alice + "/payments",
              own,
              "{\"amountMicrodenarii\":\"5000000\"}",
              Map.of("Idempotency-Key", key()));
      assertThat(start.problem()).isEqualTo("no-provider");
      assertThat(
              none.get("/api/v1/accounts/" + alice + "/payments", own)
                  .body()
                  .get("possible")
                  .asBoolean())
          .isFalse();
      assertThat(none.post("/api/v1/payments/events", null, "{}").problem())
          .isEqualTo("no-provider");
    }
  }

  @Test
  void theSecretIsInNoTableAndNoMetric() throws Exception {
    started(1_000_000);
    assertThat(billing.metrics()).doesNotContain(SECRET);
    assertThat(
            SharedDatabase.jdbc()
                .queryForList("select p::text from payment p", String.class)
                .toString())
        .doesNotContain(SECRET);
  }
}
