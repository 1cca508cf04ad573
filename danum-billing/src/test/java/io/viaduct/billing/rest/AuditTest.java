package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import tools.jackson.databind.JsonNode;

class AuditTest {
  private static RunningBilling billing;
  private static String operator;

  private final String alice = "audited-" + UUID.randomUUID().toString().substring(0, 8);

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, new ManualClock());
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @BeforeEach
  void openAccount() throws Exception {
    billing.openAccount(operator, alice);
  }

  private JsonNode entries() throws Exception {
    return billing.get("/api/v1/audit?about=" + alice, operator).body().get("entries");
  }

  @Test
  void aChangeHasWhoWhenWhatAndTheRowBeforeAndAfter() throws Exception {
    Map<String, String> headers = new HashMap<>(billing.ifMatch(path(), operator));
    headers.put("X-Request-Id", "ticket-17");
    Answer changed = billing.call("PATCH", path(), operator, "{\"state\":\"suspended\"}", headers);
    assertThat(changed.raw().headers().firstValue("X-Request-Id")).contains("ticket-17");
    JsonNode entry = entries().get(0);
    assertThat(entry.get("account").asString()).isEqualTo("operator");
    assertThat(entry.get("role").asString()).isEqualTo("operator");
    assertThat(entry.get("operation").asString()).isEqualTo("changeAccount");
    assertThat(entry.get("method").asString()).isEqualTo("PATCH");
    assertThat(entry.get("path").asString()).isEqualTo(path());
    assertThat(entry.get("requestId").asString()).isEqualTo("ticket-17");
    assertThat(entry.get("status").asInt()).isEqualTo(200);
    JsonNode change = change(entry, "account");
    assertThat(change.get("action").asString()).isEqualTo("update");
    assertThat(change.at("/before/state").asString()).isEqualTo("active");
    assertThat(change.at("/after/state").asString()).isEqualTo("suspended");
  }

  @Test
  void secretsAreInNoEntryButTheirChangeIs() throws Exception {
    billing.change(path(), operator, "{\"password\":\"quite another one\"}");
    String hash =
        SharedDatabase.jdbc()
            .queryForObject("select password_hash from account where id = ?", String.class, alice);
    JsonNode entries = entries();
    assertThat(change(entries.get(0), "account").at("/after/password_hash").asString())
        .isEqualTo("(secret, changed)");
    assertThat(entries.toString()).doesNotContain(hash).doesNotContain("quite another one");
    assertThat(change(entries.get(0), "sip_credential").at("/after/ha1_sha256").asString())
        .isEqualTo("(secret, changed)");
  }

  @Test
  void aRefusedRequestHasAnEntryWithoutAChange() throws Exception {
    Answer refused =
        billing.call(
            "POST",
            path() + "/top-ups",
            operator,
            "{\"amountMicrodenarii\":\"-1\",\"reference\":\"x\"}",
            Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    assertThat(refused.status()).isEqualTo(400);
    JsonNode entry = entries().get(0);
    assertThat(entry.get("operation").asString()).isEqualTo("topUp");
    assertThat(entry.get("status").asInt()).isEqualTo(400);
    assertThat(entry.get("changes")).isEmpty();
  }

  @Test
  void aUsersOwnChangeIsNotInTheLog() throws Exception {
    String token = billing.logIn(alice, "password-of-" + alice);
    Answer changed =
        billing.call(
            "PUT",
            path() + "/credit/alert",
            token,
            "{\"lowMicrodenarii\":\"5\"}",
            billing.ifMatch(path() + "/credit", token));
    assertThat(changed.status()).isEqualTo(200);
    assertThat(entries().findValuesAsString("operation")).containsExactly("openAccount");
  }

  @Test
  void changesAfterTheRequestOfAnOperatorAreNotTakenForItsChanges() throws Exception {
    billing.change(path(), operator, "{\"displayName\":\"Alice A.\"}");
    String token = billing.logIn(alice, "password-of-" + alice);
    // More requests than the pool has connections: each has served the operator or not.
    for (int i = 0; i < 30; i++) {
      billing.call(
          "PUT",
          path() + "/credit/alert",
          token,
          "{\"lowMicrodenarii\":\"" + i + "\"}",
          billing.ifMatch(path() + "/credit", token));
    }
    JsonNode entries = entries();
    assertThat(entries.findValuesAsString("operation"))
        .containsExactly("changeAccount", "openAccount");
    assertThat(entries.get(0).get("changes")).hasSize(1);
  }

  @Test
  void anAuditorReadsTheLogAndAUserDoesNot() throws Exception {
    String auditor = "auditor-" + alice;
    billing.openAccount(operator, auditor, "auditor");
    String token = billing.logIn(auditor, "password-of-" + auditor);
    assertThat(billing.get("/api/v1/audit?about=" + alice, token).status()).isEqualTo(200);
    String csv = billing.get("/api/v1/audit.csv?about=" + auditor, token).raw().body();
    List<List<String>> lines = CsvReader.read(csv);
    assertThat(lines.getFirst()).startsWith("id", "at", "account", "role", "operation");
    assertThat(lines.stream().map(line -> line.get(9))).contains("account");
    String user = billing.logIn(alice, "password-of-" + alice);
    assertThat(billing.get("/api/v1/audit", user).status()).isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update audit_entry set account = 'x'",
        "update audit_entry set began_at = now()",
        "delete from audit_entry",
        "truncate audit_entry cascade",
        "update audit_change set after = null",
        "delete from audit_change",
        "truncate audit_change",
        "update audit_outcome set status = 200",
        "delete from audit_outcome"
      })
  void theDatabaseRefusesToChangeTheLog(String statement) throws Exception {
    billing.change(path(), operator, "{\"displayName\":\"Alice A.\"}");
    assertThatThrownBy(() -> SharedDatabase.jdbc().execute(statement))
        .isInstanceOf(DataAccessException.class);
  }

  private String path() {
    return "/api/v1/accounts/" + alice;
  }

  private static JsonNode change(JsonNode entry, String table) {
    for (JsonNode change : entry.get("changes")) {
      if (change.get("table").asString().equals(table)) {
        return change;
      }
    }
    throw new AssertionError(table + " is not in " + entry);
  }
}
