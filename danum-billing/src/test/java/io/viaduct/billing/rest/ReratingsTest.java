package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.mediation.PostedReports;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.usage.v1.ServiceClass;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Re-rating by REST, on a running billing.
class ReratingsTest {
  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;
  private static String operator;

  private final String alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private static int corrected() throws Exception {
    Answer stored =
        billing.call(
            "POST",
            "/api/v1/tariffs",
            operator,
            "{\"effectiveFrom\":\"2400-01-01T00:00:00Z\",\"tariff\":"
                + TariffDocument.print(
                    SeedTariff.at(OperatingPoint.MEASURED, "{\"fees\":{\"PER_MINUTE\":0.5}}"))
                + "}",
            billing.ifMatch("/api/v1/tariffs?limit=1", operator));
    return stored.body().get("version").asInt();
  }

  private String order(Instant from, Instant to, int tariff) {
    return ("{\"from\":\"%s\",\"to\":\"%s\",\"account\":\"%s\",\"tariffVersion\":%d,"
            + "\"reason\":\"the fee was forgotten\"}")
        .formatted(from, to, alice, tariff);
  }

  @Test
  void anOperatorPreviewsARunBeginsItAndTheUserReadsEachBill() throws Exception {
    billing.openAccount(operator, alice);
    String token = billing.logIn(alice, "password-of-" + alice);
    long charge = PostedReports.postEarlier(alice, Reports.workedExample()).getFirst();
    Instant start =
        Instant.parse(
            billing.get("/api/v1/charges/" + charge, token).body().get("start").asString());
    Instant to = start.plusSeconds(60);
    int tariff = corrected();
    String order = order(start, to, tariff);
    Answer preview =
        billing.post(
            "/api/v1/reratings/preview",
            operator,
            order.replace(",\"reason\":\"the fee was forgotten\"", ""));
    assertThat(preview.status()).isEqualTo(200);
    assertThat(preview.body().at("/total/paidBeforeMicrodenarii").asString()).isEqualTo("34348658");
    assertThat(preview.body().at("/total/paidAfterMicrodenarii").asString()).isEqualTo("34848658");
    assertThat(preview.body().at("/changes/0/account").asString()).isEqualTo(alice);

    String path = "/api/v1/reratings/fee-" + alice;
    Map<String, String> none = Map.of();
    assertThat(billing.call("PUT", path, token, order, none).status()).isEqualTo(403);
    assertThat(billing.call("PUT", path, operator, order, none).status()).isEqualTo(201);
    await()
        .untilAsserted(() ->
            assertThat(billing.get(path, operator).body().get("state").asString())
                .isEqualTo("done"));
    Answer again = billing.call("PUT", path, operator, order, none);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.body().get("changed").asInt()).isEqualTo(1);
    assertThat(again.body().at("/difference/netMicrodenarii").asString()).isEqualTo("500000");
    assertThat(
            billing
                .call("PUT", path, operator, order(start, to.plusSeconds(1), tariff), none)
                .problem())
        .isEqualTo("idempotency-key-reused");
    assertThat(billing.post(path + "/stop", operator, "{}").body().get("state").asString())
        .isEqualTo("done");

    List<String> orders = new ArrayList<>(List.of("fee-" + alice));
    for (int i = 0; i < 3; i++) {
      String next = i + "-" + alice;
      orders.addFirst(next);
      String run = "/api/v1/reratings/" + next;
      assertThat(billing.call("PUT", run, operator, order, none).status()).isEqualTo(201);
      await().until(() -> billing.get(run, operator).body().get("state").asString().equals("done"));
    }
    assertThat(
            billing.paged("/api/v1/reratings", operator, "reratings", "id").stream()
                .filter(id -> id.endsWith(alice)))
        .as("latest first")
        .containsExactlyElementsOf(orders);

    JsonNode revisions =
        billing.get("/api/v1/charges/" + charge + "/revisions", token).body().get("revisions");
    assertThat(revisions).hasSize(2);
    assertThat(revisions.at("/0/reason").asString()).isEqualTo("the fee was forgotten");
    for (int revision = 0; revision < 2; revision++) {
      JsonNode explained =
          billing
              .get("/api/v1/charges/" + charge + "/explain?revision=" + revision, token)
              .body()
              .get("explanation");
      assertThat(explained.get("equalsPosted").asBoolean()).isTrue();
      assertThat(explained.at("/bill/netMicrodenarii").asString())
          .isEqualTo(revisions.at("/" + (1 - revision) + "/bill/netMicrodenarii").asString());
    }
    JsonNode shown = billing.get("/api/v1/charges/" + charge, token).body();
    assertThat(shown.get("revision").asInt()).isEqualTo(1);
    assertThat(shown.get("tariffVersion").asInt()).isEqualTo(tariff);
  }

  @Test
  void afterARunForOneClassASimulationThatChangesNothingIsTheBillThatCounts() throws Exception {
    billing.openAccount(operator, alice);
    String token = billing.logIn(alice, "password-of-" + alice);
    List<Long> charges =
        PostedReports.postEarlier(
            alice,
            List.of(
                Reports.flow(1, "skype-video", 255_000, 102_000, 240),
                Reports.flow(2, "ssh", 55_000, 52_000, 40).toBuilder()
                    .setServiceClass(ServiceClass.LT_LD)
                    .build()));
    JsonNode first = billing.get("/api/v1/charges/" + charges.getFirst(), token).body();
    Instant start = Instant.parse(first.get("start").asString());
    String order =
        order(start, start.plusSeconds(60), corrected())
            .replace(
                "\"reason\"",
                "\"serviceClass\":\"%s\",\"reason\""
                    .formatted(first.get("serviceClass").asString()));
    String path = "/api/v1/reratings/class-" + alice;
    assertThat(billing.call("PUT", path, operator, order, Map.of()).status()).isEqualTo(201);
    await().until(() -> billing.get(path, operator).body().get("state").asString().equals("done"));
    JsonNode run = billing.get(path, operator).body();
    assertThat(run.get("changed").asInt()).isEqualTo(1);
    assertThat(run.get("capCreditMicrodenarii").asString()).isEqualTo("0");
    for (long charge : charges) {
      JsonNode same =
          billing
              .post("/api/v1/rating/simulate", token, "{\"charge\":\"%d\"}".formatted(charge))
              .body();
      assertThat(same.get("bill")).isEqualTo(same.get("posted"));
      assertThat(same.get("flows")).hasSize(2).allMatch(f -> f.get("equalsPosted").asBoolean());
    }
  }

  @Test
  void anOrderOfTheFutureOrOfAnUnknownTariffIsRefused() throws Exception {
    billing.openAccount(operator, alice);
    Instant now = CLOCK.instant();
    String path = "/api/v1/reratings/refused-" + alice;
    assertThat(
            billing
                .call("PUT", path, operator, order(now, now.plusSeconds(60), 1), Map.of())
                .problem())
        .isEqualTo("invalid-request");
    assertThat(
            billing
                .call("PUT", path, operator, order(now.minusSeconds(60), now, 999_999), Map.of())
                .problem())
        .isEqualTo("invalid-request");
    assertThat(billing.get(path, operator).status()).isEqualTo(404);
  }
}
