package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.mediation.PostedReports;
import io.viaduct.billing.mediation.Reports;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Sends every operation as every role, and compares the answers with `roles.txt`.
class RolesTest {
  private static final String KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

  private static RunningBilling billing;
  private static String operator;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, new ManualClock());
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private record Operation(String id, String method, String path, boolean hasBody) {}

  private static List<Operation> operations() throws Exception {
    List<Operation> all = new ArrayList<>();
    for (var path : billing.get("/v3/api-docs", null).body().get("paths").properties()) {
      for (var operation : path.getValue().properties()) {
        JsonNode its = operation.getValue();
        all.add(
            new Operation(
                its.get("operationId").asString(),
                operation.getKey().toUpperCase(Locale.ROOT),
                path.getKey(),
                its.has("requestBody")));
      }
    }
    return all;
  }

  /// The lines of the table: operation, then caller and mark.
  private static Map<String, Map<String, String>> table() throws Exception {
    Map<String, Map<String, String>> table = new TreeMap<>();
    List<String> callers = null;
    try (var file = RolesTest.class.getResourceAsStream("roles.txt")) {
      for (String line : new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList()) {
        List<String> cells = List.of(line.split("\\s+"));
        if (line.startsWith("#")) {
          continue;
        }
        if (callers == null) {
          callers = cells;
          continue;
        }
        Map<String, String> marks = new LinkedHashMap<>();
        for (int i = 1; i < cells.size(); i++) {
          marks.put(callers.get(i), cells.get(i));
        }
        assertThat(table.put(cells.getFirst(), marks)).as("two lines of " + cells).isNull();
      }
    }
    return table;
  }

  @Test
  void everyOperationHasALineAndEveryLineAnOperation() throws Exception {
    assertThat(operations())
        .extracting(Operation::id)
        .as("roles.txt must say who may send each operation")
        .containsExactlyInAnyOrderElementsOf(table().keySet());
  }

  @Test
  void onlyAClosedAccountIsErased() throws Exception {
    assertThat(billing.post("/api/v1/accounts/nobody-here/erasure", operator, "{}").status())
        .isEqualTo(404);
    assertThat(billing.post("/api/v1/accounts/operator/erasure", operator, "{}").problem())
        .isEqualTo("not-erasable");
  }

  @Test
  void aClosedAccountBecomesAPseudonymThatKeepsItsCharges() throws Exception {
    String id = "gone-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, id);
    PostedReports.postEarlier(id, Reports.workedExample());
    String path = "/api/v1/accounts/" + id;
    JsonNode before = billing.get(path + "/balance", operator).body();
    assertThat(billing.post(path + "/erasure", operator, "{}").problem())
        .as("it is not closed")
        .isEqualTo("not-erasable");
    assertThat(
            billing.call("DELETE", path, operator, null, billing.ifMatch(path, operator)).status())
        .isEqualTo(200);
    AtomicReference<Answer> erased = new AtomicReference<>();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> { // until its charges are settled and its days compared with the caps
          erased.set(billing.post(path + "/erasure", operator, "{}"));
          return erased.get().status() == 200;
        });
    String pseudonym = "/api/v1/accounts/" + erased.get().body().get("pseudonym").asString();
    assertThat(billing.get(path, operator).status()).isEqualTo(404);
    assertThat(billing.post(path + "/erasure", operator, "{}").status()).isEqualTo(404);
    assertThat(billing.get(pseudonym + "/balance", operator).body().get("balanceMicrodenarii"))
        .isEqualTo(before.get("balanceMicrodenarii"));
    Answer charges = billing.get(pseudonym + "/charges", operator);
    assertThat(charges.body().get("charges")).hasSize(2);
    assertThat(charges.raw().body()).doesNotContain(id);
    assertThat(billing.get(pseudonym + "/receipts", operator).raw().body()).doesNotContain(id);
  }

  @Test
  void everyRoleMaySendExactlyWhatTheTableSays() throws Exception {
    Map<String, Map<String, String>> table = table();
    List<String> wrong = new ArrayList<>();
    for (String caller : List.of("nobody", "user", "operator", "auditor", "snapt-owner")) {
      String id = "roles-" + UUID.randomUUID().toString().substring(0, 8);
      billing.openAccount(operator, id, caller.equals("nobody") ? "user" : caller);
      String token = caller.equals("nobody") ? null : logIn(id);
      for (Operation operation : operations()) {
        boolean may = table.get(operation.id()).get(caller).equals("+");
        if (may && operation.id().equals("streamEvents")) {
          continue; // this answer does not end
        }
        Answer answer = send(operation, id, token);
        boolean refused =
            answer.problem().equals("forbidden") || answer.problem().equals("unauthenticated");
        if (refused == may) {
          wrong.add(caller + ": " + operation.id() + ": " + answer.raw().body());
        }
        if (operation.id().equals("logOut") && token != null) {
          token = logIn(id);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static Answer send(Operation operation, String id, String token) throws Exception {
    String path =
        operation
            .path()
            .replace("{id}", id)
            .replace("{device}", "AAAA")
            .replace("{address}", id + ".more")
            .replaceAll("\\{(token|webhook|delivery|sequence)}", "1")
            .replace("{month}", "2026-01")
            .replace("{day}", "2026-01-01");
    return billing.call(
        operation.method(), path, token, operation.hasBody() ? "{}" : null, Map.of());
  }

  @Test
  void anAuditorReadsEveryAccount() throws Exception {
    String alice = account("user");
    String auditor = logIn(account("auditor"));
    assertThat(billing.get("/api/v1/accounts/" + alice + "/balance", auditor).status())
        .isEqualTo(200);
    assertThat(billing.post("/api/v1/rating/simulate", auditor, "{}").problem())
        .isNotEqualTo("forbidden");
  }

  @Test
  void anOwnerOfSnaptsSeesTheOwnOnesAndNoOthers() throws Exception {
    String acme = account("snapt-owner");
    String other = account("snapt-owner");
    enrol("snapt-" + acme, acme);
    enrol("snapt-" + other, other);
    String token = logIn(acme);
    JsonNode list = billing.get("/api/v1/snapts", token).body().get("snapts");
    assertThat(list.findValuesAsString("id")).containsExactly("snapt-" + acme);
    assertThat(billing.get("/api/v1/snapts/snapt-" + acme, token).status()).isEqualTo(200);
    for (String hidden :
        List.of(
            "/api/v1/snapts/snapt-" + other,
            "/api/v1/owners/" + other + "/fees",
            "/api/v1/owners/" + other + "/surcharges")) {
      assertThat(billing.get(hidden, token).status()).as(hidden).isEqualTo(404);
    }
    assertThat(billing.get("/api/v1/owners/" + acme + "/surcharges", token).status())
        .isEqualTo(200);
  }

  @Test
  void aSuspendedOperatorHasTheRightsOfAUser() throws Exception {
    String id = account("operator");
    String token = logIn(id);
    assertThat(billing.get("/api/v1/overview", token).status()).isEqualTo(200);
    billing.change("/api/v1/accounts/" + id, operator, "{\"state\":\"suspended\"}");
    Answer refused = billing.get("/api/v1/overview", logIn(id));
    assertThat(refused.problem()).isEqualTo("forbidden");
    assertThat(refused.body().get("detail").asString())
        .isEqualTo("account '" + id + "' is user; this is for operator, auditor");
  }

  private static String account(String role) throws Exception {
    String id = role + "-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, id, role);
    return id;
  }

  private static String logIn(String id) throws Exception {
    return billing.logIn(id, "password-of-" + id);
  }

  private static void enrol(String snapt, String owner) throws Exception {
    Answer answer =
        billing.call(
            "PUT",
            "/api/v1/snapts/" + snapt,
            operator,
            "{\"reportKey\":\"%s\",\"owner\":\"%s\"}".formatted(KEY, owner),
            Map.of());
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(201);
  }
}
