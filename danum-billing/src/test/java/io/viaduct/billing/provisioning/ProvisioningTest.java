package io.viaduct.billing.provisioning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.PostedReports;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.usage.v1.AccountDescription;
import io.viaduct.usage.v1.BindDeviceVerdict;
import io.viaduct.usage.v1.Card;
import io.viaduct.usage.v1.CreditNotice;
import io.viaduct.usage.v1.CreditState;
import io.viaduct.usage.v1.Subscriber;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Tests the way from billing's REST interface to a bridge's directory, over real sockets.
class ProvisioningTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;
  private static String operator;
  private static WatchedUsers bridge;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
    operator = billing.operator();
    bridge = watching();
  }

  /// Opens a watch. LISTEN on the database ends streams that were opened before it, so this calls
  /// again as a bridge does.
  private static WatchedUsers watching() throws Exception {
    WatchedUsers watched = new WatchedUsers(billing, "ims-bridge", "ims.test");
    soon().until(() -> watched.complete || watched.ended != null);
    if (watched.ended == null) {
      return watched;
    }
    watched.close();
    return watching();
  }

  @AfterAll
  static void stop() throws Exception {
    bridge.close();
    billing.close();
  }

  private static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5));
  }

  private static String fresh(String name) {
    return name + "-" + UUID.randomUUID().toString().substring(0, 8);
  }

  private static String made(String name) throws Exception {
    String id = fresh(name);
    billing.openAccount(operator, id);
    soon().until(() -> bridge.user(id).isPresent());
    return id;
  }

  private static Answer change(String id, String body) throws Exception {
    return billing.change("/api/v1/accounts/" + id, operator, body);
  }

  private static byte[] ha1(String algorithm, String user, String password) throws Exception {
    return MessageDigest.getInstance(algorithm)
        .digest((user + ":ims.test:" + password).getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] key(int number) {
    byte[] key = new byte[32];
    Arrays.fill(key, (byte) number);
    return key;
  }

  @Test
  void aNewUserReachesTheBridgeWithinASecondAndCanRegisterWithThePagesPassword() throws Exception {
    String id = fresh("alice");
    long before = System.nanoTime();
    billing.openAccount(operator, id);
    soon().until(() -> bridge.user(id).isPresent());
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
    Subscriber user = bridge.user(id).orElseThrow();
    assertThat(user.getHa1Sha256().toByteArray())
        .isEqualTo(ha1("SHA-256", id, "password-of-" + id));
    assertThat(user.getHa1Md5().toByteArray()).isEqualTo(ha1("MD5", id, "password-of-" + id));
    assertThat(user.getSuspended()).isFalse();
    assertThat(billing.get("/api/v1/accounts/" + id, operator).body().get("sipSecret").asString())
        .isEqualTo("shared");
  }

  @Test
  void twoSecretsAreKeptApart() throws Exception {
    String id = fresh("bob");
    Answer answer =
        billing.post(
            "/api/v1/accounts",
            operator,
            "{\"id\":\"%s\",\"password\":\"for the pages\",\"sipPassword\":\"for the devices\",\"role\":\"user\"}"
                .formatted(id));
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.raw().body()).doesNotContain("pages").doesNotContain("devices");
    soon().until(() -> bridge.user(id).isPresent());
    byte[] sip = ha1("SHA-256", id, "for the devices");
    assertThat(bridge.user(id).orElseThrow().getHa1Sha256().toByteArray()).isEqualTo(sip);
    String token = billing.logIn(id, "for the pages");
    assertThat(changePassword(token, id, "for the pages", "other pages").status()).isEqualTo(204);
    billing.logIn(id, "other pages");
    assertThat(bridge.user(id).orElseThrow().getHa1Sha256().toByteArray()).isEqualTo(sip);
    assertThat(change(id, "{\"sipPassword\":\"other devices\"}").status()).isEqualTo(200);
    byte[] next = ha1("SHA-256", id, "other devices");
    soon()
        .until(
            () -> Arrays.equals(bridge.user(id).orElseThrow().getHa1Sha256().toByteArray(), next));
  }

  private static Answer changePassword(String token, String id, String old, String next)
      throws Exception {
    return billing.call(
        "PUT",
        "/api/v1/accounts/" + id + "/password",
        token,
        "{\"oldPassword\":\"%s\",\"newPassword\":\"%s\"}".formatted(old, next),
        Map.of());
  }

  @Test
  void aUserChangesOnesOwnPasswordAndOtherLoginsEnd() throws Exception {
    String id = made("carol");
    String here = billing.logIn(id, "password-of-" + id);
    String elsewhere = billing.logIn(id, "password-of-" + id);
    assertThat(changePassword(here, id, "not-the-old-one", "a new password").problem())
        .isEqualTo("wrong-old-password");
    assertThat(changePassword(here, id, "password-of-" + id, "short").raw().body())
        .contains("at least 8 characters");
    assertThat(changePassword(here, id, "password-of-" + id, "a new password").status())
        .isEqualTo(204);
    assertThat(billing.get("/api/v1/accounts/" + id, here).status()).isEqualTo(200);
    assertThat(billing.get("/api/v1/accounts/" + id, elsewhere).status()).isEqualTo(401);
    billing.logIn(id, "a new password");
    byte[] next = ha1("MD5", id, "a new password");
    soon()
        .until(() -> Arrays.equals(bridge.user(id).orElseThrow().getHa1Md5().toByteArray(), next));
  }

  @Test
  void guessesOfTheOldPasswordAreThrottled() throws Exception {
    String id = made("dora");
    String token = billing.logIn(id, "password-of-" + id);
    for (int i = 0; i < 5; i++) {
      changePassword(token, id, "guess-" + i, "a new password");
    }
    assertThat(changePassword(token, id, "password-of-" + id, "a new password").status())
        .isEqualTo(429);
  }

  @Test
  void nobodyChangesThePasswordOfAnother() throws Exception {
    String id = made("eve");
    String other = made("mallory");
    String token = billing.logIn(other, "password-of-" + other);
    assertThat(changePassword(token, id, "password-of-" + id, "a new password").status())
        .isEqualTo(404);
    assertThat(
            billing
                .call(
                    "PATCH",
                    "/api/v1/accounts/" + other,
                    token,
                    "{\"role\":\"operator\"}",
                    Map.of())
                .problem())
        .isEqualTo("forbidden");
    assertThat(billing.call("DELETE", "/api/v1/accounts/" + id, token, null, Map.of()).problem())
        .isEqualTo("forbidden");
    assertThat(billing.get("/api/v1/accounts/" + id + "/devices", token).status()).isEqualTo(404);
  }

  @Test
  void aCardReachesTheBridgeAndItsKeysAreNeverShownAgain() throws Exception {
    String id = made("heidi");
    String path = "/api/v1/accounts/" + id + "/card";
    assertThat(billing.get(path, operator).status()).isEqualTo(404);
    // 3GPP TS 35.208, test set 1.
    String k = "465b5ce8b199b49faa5f0a2ee238a6bc";
    String body = "{\"k\":\"%s\",\"op\":\"cdc202d5123e20f62b6d676ac72cb318\"}".formatted(k);
    assertThat(billing.call("PUT", path, operator, body, Map.of()).status()).isEqualTo(204);
    soon().until(() -> bridge.user(id).orElseThrow().hasCard());
    Card card = bridge.user(id).orElseThrow().getCard();
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(card.getK().toByteArray())).isEqualTo(k);
    assertThat(hex.formatHex(card.getOpc().toByteArray()))
        .isEqualTo("cd63cb71954a9f4e48a5994e37a02baf");
    assertThat(card.getAmf().toByteArray()).isEqualTo(new byte[2]);
    Answer shown = billing.get(path, operator);
    assertThat(shown.body().get("amf").asString()).isEqualTo("0000");
    assertThat(shown.raw().body()).doesNotContain(k).doesNotContain("cd63cb");
    assertThat(
            SharedDatabase.jdbc()
                .queryForObject(
                    "select count(*) from audit_change where table_name = 'sip_card'"
                        + " and after ->> 'account' = ? and after ->> 'k_secret' like '(secret%'",
                    Integer.class, id))
        .isEqualTo(1);
    assertThat(billing.call("DELETE", path, operator, null, Map.of()).status()).isEqualTo(204);
    soon().until(() -> !bridge.user(id).orElseThrow().hasCard());
  }

  @Test
  void aUserWithACardAndNoPasswordForDevicesIsASubscriber() throws Exception {
    String id = made("ivan");
    assertThat(change(id, "{\"sipSecret\":\"none\"}").status()).isEqualTo(200);
    soon().until(() -> bridge.user(id).isEmpty());
    String path = "/api/v1/accounts/" + id + "/card";
    String keys =
        "{\"k\":\"%s\",\"opc\":\"%s\",\"amf\":\"8000\"}"
            .formatted("00".repeat(16), "11".repeat(16));
    assertThat(billing.call("PUT", path, operator, keys, Map.of()).status()).isEqualTo(204);
    soon().until(() -> bridge.user(id).isPresent());
    Subscriber user = bridge.user(id).orElseThrow();
    assertThat(user.getHa1Sha256().isEmpty()).isTrue();
    assertThat(user.getCard().getAmf().toByteArray()).isEqualTo(new byte[] {(byte) 0x80, 0});
    String account = "/api/v1/accounts/" + id;
    billing.call("DELETE", account, operator, null, billing.ifMatch(account, operator));
    soon().until(() -> bridge.user(id).isEmpty());
    assertThat(billing.call("PUT", path, operator, keys, Map.of()).problem())
        .isEqualTo("account-closed");
  }

  @Test
  void aCardWithoutAWholeKeyIsRefusedInWordsThatDoNotRepeatIt() throws Exception {
    String id = made("judy");
    String path = "/api/v1/accounts/" + id + "/card";
    for (String body :
        List.of(
            "{\"k\":\"abc\",\"opc\":\"%s\"}".formatted("11".repeat(16)),
            "{\"k\":\"%s\"}".formatted("ab".repeat(16)),
            "{\"k\":\"%s\",\"op\":\"1\",\"opc\":\"1\"}".formatted("ab".repeat(16)))) {
      Answer answer = billing.call("PUT", path, operator, body, Map.of());
      assertThat(answer.problem()).isEqualTo("invalid-request");
      assertThat(answer.raw().body()).doesNotContain("abab").doesNotContain("abc");
    }
    assertThat(billing.get(path, operator).status()).isEqualTo(404);
  }

  @Test
  void furtherAddressesReachTheBridgeAndBelongToOneAccount() throws Exception {
    String id = made("lena");
    String path = "/api/v1/accounts/" + id + "/sip-addresses";
    String number = "+41-" + id;
    assertThat(billing.call("PUT", path + "/" + number, operator, null, Map.of()).status())
        .isEqualTo(204);
    assertThat(billing.call("PUT", path + "/" + number, operator, null, Map.of()).status())
        .isEqualTo(204);
    soon().until(() -> bridge.user(id).orElseThrow().getAddressesList().contains(number));
    Answer listed = billing.get(path, operator);
    assertThat(listed.body().get("domain").asString()).isEqualTo("ims.test");
    assertThat(listed.body().get("sipAddresses").get(0).asString()).isEqualTo(number);
    String other = made("mona");
    for (String taken : List.of(number, id)) {
      assertThat(
              billing
                  .call(
                      "PUT",
                      "/api/v1/accounts/" + other + "/sip-addresses/" + taken,
                      operator,
                      null,
                      Map.of())
                  .problem())
          .isEqualTo("invalid-request");
    }
    assertThat(billing.call("DELETE", path + "/" + number, operator, null, Map.of()).status())
        .isEqualTo(204);
    soon().until(() -> bridge.user(id).orElseThrow().getAddressesCount() == 0);
  }

  @Test
  void anAddressIsNoIdOfANewAccount() throws Exception {
    String id = made("nora");
    String taken = fresh("desk");
    String path = "/api/v1/accounts/" + id + "/sip-addresses/" + taken;
    assertThat(billing.call("PUT", path, operator, null, Map.of()).status()).isEqualTo(204);
    Answer answer =
        billing.post(
            "/api/v1/accounts",
            operator,
            "{\"id\":\"%s\",\"password\":\"a good password\",\"role\":\"user\"}".formatted(taken));
    assertThat(answer.problem()).isEqualTo("account-exists");
  }

  @Test
  void aBridgeIsToldHowAnAccountStands() throws Exception {
    String id = made("kate");
    billing.call(
        "POST",
        "/api/v1/accounts/" + id + "/top-ups",
        operator,
        "{\"amountMicrodenarii\":\"3000000\",\"reference\":\"cash\"}",
        Map.of("Idempotency-Key", id));
    AccountDescription described = bridge.described(id);
    assertThat(described.getKnown()).isTrue();
    assertThat(described.getBalanceMicrodenarii()).isEqualTo(3_000_000);
    assertThat(described.getAvailableMicrodenarii()).isEqualTo(3_000_000);
    assertThat(described.getSpentTodayMicrodenarii()).isZero();
    assertThat(described.getThresholdMicrodenarii()).isPositive();
    assertThat(described.getTariff().getVersion()).isPositive();
    assertThat(bridge.described("nobody-here").getKnown()).isFalse();
  }

  @Test
  void aBridgeIsToldTheLatestReportsThatItAsksFor() throws Exception {
    String id = made("kurt");
    PostedReports.postEarlier(id, Reports.workedExample());
    assertThat(bridge.described(id).getReportsList()).isEmpty();
    assertThat(bridge.described(id, 5).getReportsList())
        .singleElement()
        .satisfies(report -> {
          assertThat(report.getBytes()).isEqualTo(2_550_000 + 1_425_000);
          assertThat(report.getEndMs() - report.getStartMs()).isEqualTo(60_000);
          assertThat(report.getNetMicrodenarii()).isPositive();
        });
  }

  @Test
  void aSuspendedUserSeesTheBillAndTheBridgeLearnsOfTheSuspension() throws Exception {
    String id = made("frank");
    Answer answer = change(id, "{\"state\":\"suspended\"}");
    assertThat(answer.body().get("state").asString()).isEqualTo("suspended");
    soon().until(() -> bridge.user(id).orElseThrow().getSuspended());
    String token = billing.logIn(id, "password-of-" + id);
    assertThat(billing.get("/api/v1/accounts/" + id + "/balance", token).status()).isEqualTo(200);
    assertThat(bridge.bind(id, key(1)).getVerdict()).isEqualTo(BindDeviceVerdict.ACCOUNT_SUSPENDED);
    assertThat(change(id, "{\"state\":\"active\"}").status()).isEqualTo(200);
    soon().until(() -> !bridge.user(id).orElseThrow().getSuspended());
  }

  @Test
  void aSuspendedOperatorHasNoRightsOverOthers() throws Exception {
    String id = fresh("boss");
    billing.post(
        "/api/v1/accounts",
        operator,
        "{\"id\":\"%s\",\"password\":\"password-of-%s\",\"role\":\"operator\"}".formatted(id, id));
    String token = billing.logIn(id, "password-of-" + id);
    assertThat(billing.get("/api/v1/accounts", token).status()).isEqualTo(200);
    assertThat(
            billing
                .call(
                    "PATCH", "/api/v1/accounts/" + id, token, "{\"state\":\"suspended\"}", Map.of())
                .problem())
        .isEqualTo("invalid-request");
    change(id, "{\"state\":\"suspended\"}");
    assertThat(billing.get("/api/v1/accounts", token).problem()).isEqualTo("forbidden");
    assertThat(billing.get("/api/v1/accounts/" + id, token).status()).isEqualTo(200);
  }

  @Test
  void aClosedAccountKeepsItsMoneyAndNothingElse() throws Exception {
    String id = made("grace");
    billing.call(
        "POST",
        "/api/v1/accounts/" + id + "/top-ups",
        operator,
        "{\"amountMicrodenarii\":\"5000000\",\"reference\":\"cash\"}",
        Map.of("Idempotency-Key", id));
    bridge.bind(id, key(7));
    String token = billing.logIn(id, "password-of-" + id);
    String path = "/api/v1/accounts/" + id;
    assertThat(billing.call("DELETE", path, operator, null, Map.of()).problem())
        .isEqualTo("version-required");
    Map<String, String> before = billing.ifMatch(path, operator);
    change(id, "{\"displayName\":\"Gina of the north\"}");
    assertThat(billing.call("DELETE", path, operator, null, before).problem())
        .isEqualTo("changed-meanwhile");
    Map<String, String> known = billing.ifMatch(path, operator);
    Answer closed = billing.call("DELETE", path, operator, null, known);
    assertThat(closed.body().get("state").asString()).isEqualTo("closed");
    assertThat(closed.body().get("displayName").asString()).isEmpty();
    soon().until(() -> bridge.user(id).isEmpty());
    assertThat(billing.get("/api/v1/accounts/" + id, token).status()).isEqualTo(401);
    assertThat(
            billing
                .post(
                    "/api/v1/sessions",
                    null,
                    "{\"user\":\"%s\",\"password\":\"password-of-%s\"}".formatted(id, id))
                .problem())
        .isEqualTo("wrong-password");
    assertThat(
            billing
                .get("/api/v1/accounts/" + id + "/balance", operator)
                .body()
                .get("postedMicrodenarii")
                .asString())
        .isEqualTo("5000000");
    assertThat(change(id, "{\"state\":\"active\"}").problem()).isEqualTo("account-closed");
    assertThat(bridge.bind(id, key(7)).getVerdict()).isEqualTo(BindDeviceVerdict.ACCOUNT_UNKNOWN);
    assertThat(
            billing
                .post(
                    "/api/v1/accounts",
                    operator,
                    "{\"id\":\"%s\",\"password\":\"long enough\",\"role\":\"user\"}".formatted(id))
                .problem())
        .isEqualTo("account-exists");
    assertThat(billing.call("DELETE", path, operator, null, known).status())
        .as("a repeated request")
        .isEqualTo(200);
  }

  @Test
  void theBridgeLearnsTheLatestChangeOfTheCreditWithItsAmounts() throws Exception {
    String id = made("nora");
    soon().until(() -> bridge.user(id).isPresent());
    assertThat(bridge.user(id).orElseThrow().hasNotice()).isFalse();
    billing.call(
        "POST",
        "/api/v1/accounts/" + id + "/top-ups",
        operator,
        "{\"amountMicrodenarii\":\"4000000\",\"reference\":\"cash\"}",
        Map.of("Idempotency-Key", id));
    soon().until(() -> bridge.user(id).orElseThrow().hasNotice());
    CreditNotice low = bridge.user(id).orElseThrow().getNotice();
    assertThat(low.getState()).isEqualTo(CreditState.LOW);
    assertThat(low.getCreditMicrodenarii()).isEqualTo(4_000_000);
    assertThat(low.getThresholdMicrodenarii()).isEqualTo(5_000_000);
    assertThat(low.getNoticedMs()).isPositive();
    billing.call(
        "POST",
        "/api/v1/accounts/" + id + "/top-ups",
        operator,
        "{\"amountMicrodenarii\":\"9000000\",\"reference\":\"cash\"}",
        Map.of("Idempotency-Key", id + "-2"));
    soon()
        .until(
            () -> bridge.user(id).orElseThrow().getNotice().getState() == CreditState.SUFFICIENT);
    assertThat(bridge.user(id).orElseThrow().getNotice().getId()).isGreaterThan(low.getId());
  }

  @Test
  void theOperatorOfTheConfigurationIsNotChangedByRest() throws Exception {
    for (String body :
        List.of(
            "{\"role\":\"user\"}", "{\"password\":\"another one\"}", "{\"state\":\"suspended\"}")) {
      Answer answer = change("operator", body);
      assertThat(answer.status()).as(body).isIn(400, 409);
    }
    assertThat(changePassword(operator, "operator", "operator-secret", "another one").problem())
        .isEqualTo("configured-operator");
    billing.operator();
  }

  @Test
  void contradictorySecretsAreRefusedWithAReason() throws Exception {
    String id = made("henry");
    Map<String, String> cases =
        Map.of(
            "{\"sipSecret\":\"separate\",\"password\":\"whatever-it-is\"}", "",
            "{\"sipSecret\":\"none\",\"sipPassword\":\"whatever-it-is\"}", "leave one of both out",
            "{\"sipSecret\":\"open\"}", "none, shared or separate",
            "{\"sipPassword\":\"short\"}", "at least 8 characters",
            "{\"password\":\" blank at an end\"}", "no blank at either end",
            "{\"state\":\"closed\"}", "DELETE closes an account");
    for (Map.Entry<String, String> each : cases.entrySet()) {
      Answer answer = change(id, each.getKey());
      assertThat(answer.status()).as(each.getKey()).isEqualTo(400);
      assertThat(answer.raw().body()).contains(each.getValue());
    }
    assertThat(change(id, "{\"sipSecret\":\"none\"}").status()).isEqualTo(200);
    soon().until(() -> bridge.user(id).isEmpty());
    assertThat(change(id, "{\"sipSecret\":\"shared\"}").raw().body())
        .contains("needs the password");
    assertThat(change(id, "{\"sipSecret\":\"shared\",\"password\":\"once again\"}").status())
        .isEqualTo(200);
    soon().until(() -> bridge.user(id).isPresent());
  }

  @Test
  void theNinthDeviceIsRefusedUntilOneIsRemoved() throws Exception {
    String id = made("ivan");
    for (int i = 1; i <= 8; i++) {
      assertThat(bridge.bind(id, key(i)).getVerdict()).isEqualTo(BindDeviceVerdict.BOUND);
    }
    var ninth = bridge.bind(id, key(9));
    assertThat(ninth.getVerdict()).isEqualTo(BindDeviceVerdict.TOO_MANY_DEVICES);
    assertThat(ninth.getDevicesMax()).isEqualTo(8);
    assertThat(bridge.bind(id, key(8)).getVerdict()).isEqualTo(BindDeviceVerdict.BOUND);
    soon().until(() -> bridge.user(id).orElseThrow().getDeviceKeysCount() == 8);
    String token = billing.logIn(id, "password-of-" + id);
    Answer list = billing.get("/api/v1/accounts/" + id + "/devices", token);
    assertThat(list.body().get("devices")).hasSize(8);
    assertThat(list.body().get("devicesMax").asInt()).isEqualTo(8);
    String first = list.body().at("/devices/0/id").asString();
    String path = "/api/v1/accounts/" + id + "/devices/";
    String all = "/api/v1/accounts/" + id + "/devices";
    assertThat(billing.call("DELETE", path + first, token, null, Map.of()).problem())
        .isEqualTo("version-required");
    Map<String, String> before = billing.ifMatch(all, token);
    assertThat(
            billing.call("PATCH", path + first, token, "{\"name\":\"red phone\"}", before).status())
        .isEqualTo(204);
    assertThat(billing.call("PATCH", path + first, token, "{\"name\":\"blue\"}", before).problem())
        .isEqualTo("changed-meanwhile");
    assertThat(billing.call("DELETE", path + first, token, null, before).problem())
        .isEqualTo("changed-meanwhile");
    Map<String, String> known = billing.ifMatch(all, token);
    bridge.seen(id, key(1));
    assertThat(billing.call("DELETE", path + first, token, null, known).status()).isEqualTo(204);
    assertThat(billing.call("DELETE", path + first, token, null, known).status()).isEqualTo(404);
    assertThat(billing.call("DELETE", path + "!", token, null, known).status()).isEqualTo(404);
    soon().until(() -> bridge.user(id).orElseThrow().getDeviceKeysCount() == 7);
    assertThat(bridge.bind(id, key(9)).getVerdict()).isEqualTo(BindDeviceVerdict.BOUND);
  }

  @Test
  void aDeviceHasTheNameThatItsUserGivesAndIsSeenWhenABridgeSaysSo() throws Exception {
    String id = made("dora");
    bridge.bind(id, key(1));
    String token = billing.logIn(id, "password-of-" + id);
    String devices = "/api/v1/accounts/" + id + "/devices";
    String path = devices + "/" + billing.get(devices, token).body().at("/devices/0/id").asString();
    assertThat(billing.call("PATCH", path, token, "{\"name\":\"p\"}", Map.of()).problem())
        .isEqualTo("version-required");
    Map<String, String> known = billing.ifMatch(devices, token);
    assertThat(billing.call("PATCH", path, token, "{\"name\":\"phone\"}", known).status())
        .isEqualTo(204);
    assertThat(billing.call("PATCH", path + "x", token, "{\"name\":\"p\"}", known).status())
        .isEqualTo(404);
    Answer control = billing.call("PATCH", path, token, "{\"name\":\"a\\u0007\"}", known);
    assertThat(control.status()).isEqualTo(400);
    CLOCK.advance(Duration.ofMinutes(20));
    token = billing.logIn(id, "password-of-" + id);
    bridge.seen(id, key(1));
    bridge.seen(id, key(2));
    var device = billing.get(devices, token).body().at("/devices/0");
    assertThat(device.get("name").asString()).isEqualTo("phone");
    assertThat(Instant.parse(device.get("lastSeenAt").asString())).isEqualTo(CLOCK.instant());
    assertThat(billing.get(devices, token).body().get("devices"))
        .as("an unknown key stays unknown")
        .hasSize(1);
  }

  @Test
  void newDevicesThatComeTogetherDoNotPassTheLimit() throws Exception {
    String id = made("judy");
    List<Callable<BindDeviceVerdict>> asked = new java.util.ArrayList<>();
    for (int i = 1; i <= 40; i++) {
      int number = i;
      asked.add(() -> bridge.bind(id, key(number)).getVerdict());
    }
    try (ExecutorService many = Executors.newFixedThreadPool(16)) {
      int bound = 0;
      for (Future<BindDeviceVerdict> each : many.invokeAll(asked)) {
        bound += each.get() == BindDeviceVerdict.BOUND ? 1 : 0;
      }
      assertThat(bound).isEqualTo(8);
    }
  }

  @Test
  void aDeviceOfAnUnknownAccountOrOfAnotherLengthIsRefused() {
    assertThat(bridge.bind("nobody-here", key(1)).getVerdict())
        .isEqualTo(BindDeviceVerdict.ACCOUNT_UNKNOWN);
    assertThat(bridge.bind("\0", key(1)).getVerdict()).isEqualTo(BindDeviceVerdict.ACCOUNT_UNKNOWN);
    assertThatThrownBy(() -> bridge.bind("nobody-here", new byte[31]))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("32 bytes");
  }

  @Test
  void aBridgeOfAnotherDomainOrNameIsRefusedWithAReason() throws Exception {
    try (WatchedUsers other = new WatchedUsers(billing, "ims-bridge", "other.test")) {
      soon().until(() -> other.ended != null);
      assertThat(Status.fromThrowable(other.ended).getCode())
          .isEqualTo(Status.Code.FAILED_PRECONDITION);
      assertThat(other.ended).hasMessageContaining("'ims.test'").hasMessageContaining("other.test");
    }
    try (WatchedUsers snapt = new WatchedUsers(billing, "snapt-1", "ims.test")) {
      soon().until(() -> snapt.ended != null);
      assertThat(Status.fromThrowable(snapt.ended).getCode())
          .isEqualTo(Status.Code.PERMISSION_DENIED);
    }
  }

  @Test
  void theDatabaseRevealsNoCredential() throws Exception {
    String id = made("kate");
    Map<String, Object> row =
        SharedDatabase.jdbc().queryForMap("select * from sip_credential where account = ?", id);
    byte[] plain = ha1("SHA-256", id, "password-of-" + id);
    byte[] stored = (byte[]) row.get("ha1_sha256");
    assertThat(new String(stored, StandardCharsets.ISO_8859_1))
        .doesNotContain(new String(plain, 0, 8, StandardCharsets.ISO_8859_1));
  }
}
