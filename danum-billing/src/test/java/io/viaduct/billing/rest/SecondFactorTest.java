package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.secondfactor.AuthenticatorApp;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// The second factor over REST, with an authenticator app that reads what an app would read.
class SecondFactorTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static final Duration STEP = Duration.ofSeconds(30);
  private static RunningBilling billing;
  private static RunningBilling second;

  private final String olga = "factor-" + UUID.randomUUID().toString().substring(0, 8);
  private final String path = "/api/v1/accounts/" + olga + "/second-factor";
  private String operator;

  @BeforeAll
  static void start(@TempDir Path folder, @TempDir Path other) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
    second = RunningBilling.start(other, CLOCK, "users: {totp: required}");
  }

  @AfterAll
  static void stop() {
    second.close();
    billing.close();
  }

  @BeforeEach
  void openAccount() throws Exception {
    operator = billing.operator();
    billing.openAccount(operator, olga, "operator");
  }

  private record Enrolled(AuthenticatorApp app, List<String> recoveryCodes) {}

  private Enrolled enrol() throws Exception {
    String login = billing.logIn(olga, "password-of-" + olga);
    Answer made = billing.post(path, login, null);
    assertThat(made.status()).as(made.raw().body()).isEqualTo(201);
    AuthenticatorApp app = AuthenticatorApp.of(made.body().get("uri").asString());
    Answer on = billing.call("PUT", path, login, code(app.code(CLOCK.instant())), Map.of());
    assertThat(on.status()).as(on.raw().body()).isEqualTo(200);
    CLOCK.advance(STEP);
    return new Enrolled(
        app, on.body().get("recoveryCodes").valueStream().map(JsonNode::asString).toList());
  }

  private static String code(String code) {
    return "{\"code\":\"" + code + "\"}";
  }

  private Answer password(RunningBilling at) throws Exception {
    return at.post(
        "/api/v1/sessions",
        null,
        "{\"user\":\"%s\",\"password\":\"password-of-%s\"}".formatted(olga, olga));
  }

  private String challenge() throws Exception {
    Answer answer = password(billing);
    assertThat(answer.problem()).as(answer.raw().body()).isEqualTo("code-required");
    assertThat(answer.body().has("token")).isFalse();
    return answer.body().get("challenge").asString();
  }

  private static Answer send(RunningBilling at, String challenge, String code) throws Exception {
    return at.post(
        "/api/v1/sessions/codes",
        null,
        "{\"challenge\":\"%s\",\"code\":\"%s\"}".formatted(challenge, code));
  }

  @Test
  void aLogInNeedsTheCodeOfTheAppOnceItIsConfirmed() throws Exception {
    String login = billing.logIn(olga, "password-of-" + olga);
    billing.post(path, login, null);
    billing.logIn(olga, "password-of-" + olga); // not confirmed: no code
    AuthenticatorApp app = enrol().app();

    Answer answer = send(billing, challenge(), app.code(CLOCK.instant()));
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(201);
    String token = answer.body().get("token").asString();
    assertThat(billing.get("/api/v1/overview", token).status()).isEqualTo(200);
    assertThat(billing.get(path, token).body().get("state").asString()).isEqualTo("on");
    assertThat(billing.get(path, login).status()).as("log-ins from before ended").isEqualTo(401);
    assertThat(billing.post(path, token, null).problem()).isEqualTo("second-factor-on");
  }

  @Test
  void eachCodeIsTakenOnceAlsoByAnotherInstance() throws Exception {
    AuthenticatorApp app = enrol().app();
    String code = app.code(CLOCK.instant());
    List<Future<Integer>> answers = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 4; i++) {
        String challenge = challenge();
        RunningBilling at = i % 2 == 0 ? billing : second;
        answers.add(threads.submit(() -> send(at, challenge, code).status()));
      }
    }
    List<Integer> statuses = new ArrayList<>();
    for (Future<Integer> answer : answers) {
      statuses.add(answer.get());
    }
    assertThat(statuses).containsExactlyInAnyOrder(201, 403, 403, 403);
    assertThat(send(billing, challenge(), app.code(CLOCK.instant().minus(STEP))).problem())
        .as("an older code")
        .isEqualTo("wrong-code");
  }

  @Test
  void aChallengeIsAnsweredOnceAndEnds() throws Exception {
    AuthenticatorApp app = enrol().app();
    String challenge = challenge();
    assertThat(send(billing, challenge, app.code(CLOCK.instant())).status()).isEqualTo(201);
    CLOCK.advance(STEP);
    assertThat(send(billing, challenge, app.code(CLOCK.instant())).problem())
        .isEqualTo("challenge-over");
    String late = challenge();
    CLOCK.advance(Duration.ofMinutes(5));
    assertThat(send(billing, late, app.code(CLOCK.instant())).problem())
        .isEqualTo("challenge-over");
    String former = challenge();
    billing.change("/api/v1/accounts/" + olga, operator, "{\"password\":\"another password\"}");
    assertThat(send(billing, former, app.code(CLOCK.instant())).problem())
        .as("begun with another password")
        .isEqualTo("challenge-over");
    assertThat(send(billing, "forged", app.code(CLOCK.instant())).problem())
        .isEqualTo("challenge-over");
  }

  @Test
  void wrongCodesHaveToWaitLongerAndLongerAtAllInstancesTogether() throws Exception {
    AuthenticatorApp app = enrol().app();
    double before = billing.counter("viaduct_login_codes_total{outcome=\"blocked\"}");
    String challenge = challenge();
    for (int i = 0; i < 5; i++) {
      assertThat(send(i % 2 == 0 ? billing : second, challenge, "12345").problem())
          .isEqualTo("wrong-code");
    }
    Answer blocked = send(billing, challenge, app.code(CLOCK.instant()));
    assertThat(blocked.problem()).isEqualTo("too-many-attempts");
    assertThat(blocked.raw().headers().firstValue("Retry-After")).isPresent();
    assertThat(billing.counter("viaduct_login_codes_total{outcome=\"blocked\"}"))
        .isEqualTo(before + 1);
    CLOCK.advance(STEP.plusSeconds(1));
    assertThat(send(billing, challenge, "12345").problem()).isEqualTo("wrong-code");
    CLOCK.advance(STEP.plusSeconds(1));
    assertThat(send(billing, challenge, app.code(CLOCK.instant())).problem())
        .as("twice as long now")
        .isEqualTo("too-many-attempts");
    CLOCK.advance(STEP);
    assertThat(send(billing, challenge, app.code(CLOCK.instant())).status()).isEqualTo(201);
  }

  @Test
  void aRecoveryCodeReplacesACodeOnceAndNoneIsStored() throws Exception {
    List<String> codes = enrol().recoveryCodes();
    assertThat(codes).hasSize(10).allMatch(code -> code.matches("([A-Z2-7]{4}-){3}[A-Z2-7]{4}"));
    String typed = codes.get(3).toLowerCase(java.util.Locale.ROOT).replace('-', ' ');
    Answer first = send(billing, challenge(), typed);
    assertThat(first.status()).isEqualTo(201);
    assertThat(send(billing, challenge(), codes.get(3)).problem()).isEqualTo("wrong-code");
    assertThat(
            billing
                .get(path, first.body().get("token").asString())
                .body()
                .get("recoveryCodes")
                .asInt())
        .isEqualTo(9);
    String rows =
        SharedDatabase.jdbc()
            .queryForObject(
                "select string_agg(r::text, ',') || (select string_agg(f::text, ',') from second_factor f"
                    + " where f.account = r.account) from recovery_code r where account = ? group by account",
                String.class,
                olga);
    assertThat(rows).doesNotContain(codes.get(0), codes.get(0).replace("-", ""));
  }

  @Test
  void anotherOperatorResetsItAndTheAuditLogSaysWho() throws Exception {
    Enrolled enrolled = enrol();
    String token =
        send(billing, challenge(), enrolled.app().code(CLOCK.instant()))
            .body()
            .get("token")
            .asString();
    assertThat(billing.call("DELETE", path, token, null, Map.of()).problem())
        .as("not the own one")
        .isEqualTo("invalid-request");
    assertThat(billing.call("DELETE", path, operator, null, Map.of()).status()).isEqualTo(204);
    assertThat(billing.get(path, token).status()).as("log-ins end").isEqualTo(401);
    billing.logIn(olga, "password-of-" + olga);
    JsonNode entry =
        billing.get("/api/v1/audit?about=" + olga, operator).body().get("entries").get(0);
    assertThat(entry.get("operation").asString()).isEqualTo("resetSecondFactor");
    assertThat(entry.toString()).contains("\"secret_sealed\":\"(secret, changed)\"");
    assertThat(billing.call("DELETE", path, operator, null, Map.of()).status()).isEqualTo(404);
  }

  @Test
  void whereItIsRequiredAnOperatorWithoutItMayOnlySetItUp() throws Exception {
    Answer login = password(second);
    assertThat(login.body().get("lacksSecondFactor").asBoolean()).isTrue();
    String token = login.body().get("token").asString();
    Answer refused = second.get("/api/v1/overview", token);
    assertThat(refused.problem()).isEqualTo("forbidden");
    assertThat(refused.body().get("detail").asString()).contains("second factor");
    assertThat(second.get("/api/v1/accounts/" + olga + "/tokens", token).status()).isEqualTo(403);

    AuthenticatorApp app =
        AuthenticatorApp.of(second.post(path, token, null).body().get("uri").asString());
    assertThat(second.call("PUT", path, token, code("000000"), Map.of()).problem())
        .isEqualTo("wrong-code");
    assertThat(second.call("PUT", path, token, code(app.code(CLOCK.instant())), Map.of()).status())
        .isEqualTo(200);
    assertThat(second.get("/api/v1/overview", token).status()).isEqualTo(200);
    CLOCK.advance(STEP);
    assertThat(second.post(path + "/end", token, code(app.code(CLOCK.instant()))).problem())
        .isEqualTo("second-factor-required");
  }

  @Test
  void itsOwnerEndsItWithACode() throws Exception {
    AuthenticatorApp app = enrol().app();
    String token =
        send(billing, challenge(), app.code(CLOCK.instant())).body().get("token").asString();
    assertThat(billing.post(path + "/end", token, code("000000")).problem())
        .isEqualTo("wrong-code");
    CLOCK.advance(STEP);
    assertThat(billing.post(path + "/end", token, code(app.code(CLOCK.instant()))).status())
        .isEqualTo(204);
    billing.logIn(olga, "password-of-" + olga);
  }

  @Test
  void usersDoNotSeeOrSetUpThatOfOthers() throws Exception {
    String alice = "user-of-" + olga;
    billing.openAccount(operator, alice);
    String token = billing.logIn(alice, "password-of-" + alice);
    assertThat(billing.get(path, token).status()).isEqualTo(404);
    assertThat(billing.post(path, token, null).status()).isEqualTo(404);
    assertThat(billing.post(path, operator, null).status()).as("nor an operator").isEqualTo(404);
    assertThat(billing.call("DELETE", path, token, null, Map.of()).problem())
        .isEqualTo("forbidden");
  }

  @Test
  void aClosedAccountForgetsIt() throws Exception {
    enrol();
    String account = "/api/v1/accounts/" + olga;
    assertThat(
            billing
                .call("DELETE", account, operator, null, billing.ifMatch(account, operator))
                .status())
        .isEqualTo(200);
    assertThat(
            SharedDatabase.jdbc()
                .queryForObject(
                    "select count(*) from second_factor where account = ?", Integer.class, olga))
        .isZero();
  }
}
