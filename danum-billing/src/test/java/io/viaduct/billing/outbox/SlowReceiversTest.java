package io.viaduct.billing.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Receivers of webhooks that never end their answers, beside one that does.
@Timeout(120)
class SlowReceiversTest {
  private static final int SLOW_USERS = 3;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final Map<String, String> logins = new HashMap<>();
  private RawReceiver receiver;
  private RunningBilling billing;
  private String operator;

  @BeforeEach
  void listen() throws Exception {
    receiver = new RawReceiver();
  }

  @AfterEach
  void stop() throws Exception {
    billing.close();
    receiver.close();
  }

  private void start(Path folder, Duration deadline) throws Exception {
    billing =
        RunningBilling.start(
            folder,
            new ManualClock(),
            "webhooks: {allowed-networks: [127.0.0.0/8], deadline: %dms, attempts: 3, failures: 2}"
                .formatted(deadline.toMillis()));
    operator = billing.operator();
  }

  private void open(String account) throws Exception {
    billing.openAccount(operator, account);
    logins.put(account, billing.logIn(account, "password-of-" + account));
  }

  /// Makes a webhook for top-ups.
  ///
  /// @return the path of the webhook
  private String webhook(String account, String path) throws Exception {
    String hooks = "/api/v1/accounts/" + account + "/webhooks";
    Answer made =
        billing.post(
            hooks,
            logins.get(account),
            "{\"url\":\"%s\",\"events\":[\"top-up.posted\"]}".formatted(receiver.url(path)));
    assertThat(made.status()).as(made.raw().body()).isEqualTo(201);
    return hooks + "/" + made.body().at("/webhook/id").asString();
  }

  private void topUp(String account) throws Exception {
    assertThat(
            billing
                .call(
                    "POST",
                    "/api/v1/accounts/" + account + "/top-ups",
                    operator,
                    "{\"amountMicrodenarii\":\"2000000\",\"reference\":\"invoice 7\"}",
                    Map.of("Idempotency-Key", UUID.randomUUID().toString()))
                .status())
        .isEqualTo(201);
  }

  private JsonNode delivery(String webhook, String account) throws Exception {
    return billing.get(webhook + "/deliveries", logins.get(account)).body().at("/deliveries/0");
  }

  @Test
  void thirtyReceiversThatNeverAnswerHoldUpNoOtherOneAtTheSameHost(@TempDir Path folder)
      throws Exception {
    start(folder, Duration.ofSeconds(60));
    String well = "well-" + tag;
    open(well);
    String webhook = webhook(well, "/well");
    for (int user = 0; user < SLOW_USERS; user++) {
      String slow = "slow-" + user + "-" + tag;
      open(slow);
      for (int i = 0; i < Endpoints.ENDPOINTS_MAX; i++) {
        webhook(slow, "/silent-" + user + "-" + i);
      }
      topUp(slow);
    }
    int all = SLOW_USERS * Endpoints.ENDPOINTS_MAX;
    await().atMost(Duration.ofSeconds(30)).until(() -> receiver.open.size() == all);

    topUp(well);
    await().until(() -> delivery(webhook, well).get("state").asString().equals("delivered"));
    assertThat(delivery(webhook, well).get("attempts").asInt()).isEqualTo(1);
    assertThat(receiver.open).as("still held").hasSize(all);
  }

  @Test
  void anAnswerWhoseBodyNeverEndsIsAcceptedByItsStatusAndClosed(@TempDir Path folder)
      throws Exception {
    start(folder, Duration.ofSeconds(60));
    String account = "endless-" + tag;
    open(account);
    String webhook = webhook(account, "/endless");
    topUp(account);
    await().until(() -> delivery(webhook, account).get("state").asString().equals("delivered"));
    await().until(() -> receiver.open.isEmpty());
  }

  @Test
  void anAnswerThatComesOctetByOctetEndsWithTheDeadline(@TempDir Path folder) throws Exception {
    start(folder, Duration.ofMillis(500));
    String account = "trickle-" + tag;
    open(account);
    String webhook = webhook(account, "/trickle");
    topUp(account);
    await()
        .untilAsserted(() ->
            assertThat(delivery(webhook, account).get("lastError").asString())
                .isEqualTo("no answer within 500 ms"));
    JsonNode tried = delivery(webhook, account);
    assertThat(tried.get("attempts").asInt()).isEqualTo(1);
    assertThat(tried.get("state").asString()).isEqualTo("due");
    await().until(() -> receiver.open.isEmpty());
    assertThat(receiver.seen).containsExactly("/trickle");
  }

  @Test
  void aDeliveryThatCannotEvenBeMadeIsAFailedAttempt(@TempDir Path folder) throws Exception {
    start(folder, Duration.ofSeconds(5));
    String account = "broken-" + tag;
    open(account);
    String webhook = webhook(account, "/well");
    SharedDatabase.jdbc()
        .update(
            "update webhook_endpoint set url = 'http://no address/' where account = ?", account);
    topUp(account);
    await()
        .untilAsserted(() ->
            assertThat(delivery(webhook, account).get("lastError").asString())
                .contains("IllegalArgumentException"));
    assertThat(delivery(webhook, account).get("attempts").asInt()).isEqualTo(1);
  }
}
