package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Compares who may send a request with the description of the interface.
class RolesTest {
  @Test
  void aUserIsForbiddenExactlyWhatTheDescriptionSays(@TempDir Path folder) throws Exception {
    try (RunningBilling billing = RunningBilling.start(folder, new ManualClock())) {
      String id = "roles-" + UUID.randomUUID().toString().substring(0, 8);
      billing.openAccount(billing.operator(), id);
      int operations = 0;
      for (var path : billing.get("/v3/api-docs", null).body().get("paths").properties()) {
        for (var operation : path.getValue().properties()) {
          if (path.getKey().endsWith("{id}/events")) {
            continue; // this answer does not end
          }
          String method = operation.getKey().toUpperCase(Locale.ROOT);
          String url =
              path.getKey()
                  .replace("{id}", id)
                  .replace("{device}", "AAAA")
                  .replace("{month}", "2026-01");
          String body = operation.getValue().has("requestBody") ? "{}" : null;
          Answer stranger = billing.call(method, url, null, body, Map.of());
          assertThat(stranger.status() == 401)
              .as("%s %s without a token: %s", method, url, stranger.raw().body())
              .isEqualTo(lists(operation.getValue(), "unauthenticated"));
          String token = billing.logIn(id, "password-of-" + id); // one call may end the log-in
          Answer user = billing.call(method, url, token, body, Map.of());
          assertThat(user.problem().equals("forbidden"))
              .as("%s %s of a user: %s", method, url, user.raw().body())
              .isEqualTo(lists(operation.getValue(), "forbidden"));
          operations++;
        }
      }
      assertThat(operations).isGreaterThan(30);
    }
  }

  private static boolean lists(JsonNode operation, String problem) {
    return operation.toString().contains("\"urn:viaduct:problem:" + problem + "\"");
  }
}
