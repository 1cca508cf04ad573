package io.viaduct.billing.provisioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PasswordResetTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;

  private String operator;
  private String alice;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @BeforeEach
  void open() throws Exception {
    CLOCK.advance(Duration.ofMinutes(10)); // the limit of a source is of the tests' own address
    operator = billing.operator();
    alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, alice);
  }

  private Answer make() throws Exception {
    return billing.post("/api/v1/accounts/" + alice + "/password-resets", operator, "{}");
  }

  private static Answer use(String token, String password) throws Exception {
    return billing.post(
        "/api/v1/password-resets",
        null,
        "{\"token\":\"%s\",\"newPassword\":\"%s\"}".formatted(token, password));
  }

  @Test
  void aLinkSetsANewPasswordOnceAndEndsAllLogIns() throws Exception {
    String login = billing.logIn(alice, "password-of-" + alice);
    Answer made = make();
    assertThat(made.status()).as(made.raw().body()).isEqualTo(201);
    String token = made.body().get("token").asString();
    assertThat(Instant.parse(made.body().get("expiresAt").asString()))
        .isEqualTo(CLOCK.instant().plus(PasswordResets.LIFETIME));
    assertThat(
            SharedDatabase.jdbc()
                .queryForObject(
                    "select r::text from password_reset r where account = ?", String.class, alice))
        .doesNotContain(token);

    Answer weak = use(token, "short");
    assertThat(weak.status()).isEqualTo(400);
    Answer used = use(token, "a fresh password");
    assertThat(used.status()).as(used.raw().body()).isEqualTo(200);
    assertThat(used.body().get("account").asString()).isEqualTo(alice);
    assertThat(billing.get("/api/v1/accounts/" + alice, login).status()).isEqualTo(401);
    billing.logIn(alice, "a fresh password");

    Answer again = use(token, "another password");
    assertThat(again.status()).isEqualTo(410);
    assertThat(again.problem()).isEqualTo("reset-refused");
    billing.logIn(alice, "a fresh password");
  }

  @Test
  void aLinkEndsByItselfAndByANewerOne() throws Exception {
    String first = make().body().get("token").asString();
    String second = make().body().get("token").asString();
    assertThat(use(first, "a fresh password").status()).isEqualTo(410);
    CLOCK.advance(PasswordResets.LIFETIME);
    assertThat(use(second, "a fresh password").status()).isEqualTo(410);
    billing.logIn(alice, "password-of-" + alice);
  }

  @Test
  void onlyAnOperatorMakesLinksAndNoneForAClosedAccountOrTheConfiguredOperator() throws Exception {
    String own = billing.logIn(alice, "password-of-" + alice);
    String path = "/api/v1/accounts/%s/password-resets";
    assertThat(billing.post(path.formatted(alice), own, "{}").problem()).isEqualTo("forbidden");
    assertThat(billing.post(path.formatted("nobody-here"), operator, "{}").status()).isEqualTo(404);
    assertThat(billing.post(path.formatted("operator"), operator, "{}").problem())
        .isEqualTo("configured-operator");
    String token = make().body().get("token").asString();
    String account = "/api/v1/accounts/" + alice;
    billing.call("DELETE", account, operator, null, billing.ifMatch(account, operator));
    assertThat(make().problem()).isEqualTo("account-closed");
    assertThat(use(token, "a fresh password").problem()).isEqualTo("account-closed");
  }

  @Test
  void tryingLinksIsLimitedForASource() throws Exception {
    Answer last = use("guess", "a fresh password");
    for (int i = 0; i < 30 && last.status() == 410; i++) {
      last = use("guess", "a fresh password");
    }
    assertThat(last.problem()).isEqualTo("too-many-attempts");
    assertThat(last.raw().headers().firstValue("Retry-After")).isPresent();
  }
}
