package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.mediation.PostedReports;
import io.viaduct.billing.mediation.Reports;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.usage.v1.FlowUsage;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class RatingResourceTest {
  private static RunningBilling billing;
  private static String operator;

  private final String alice = "alice-" + UUID.randomUUID().toString().substring(0, 8);
  private String token = "";

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
  void open() throws Exception {
    billing.openAccount(operator, alice);
    token = billing.logIn(alice, "password-of-" + alice);
  }

  /// Three flows of one application that share a path, and one of another.
  private static List<FlowUsage> shared() {
    return List.of(
        wanting(Reports.flow(3, "skype-video", 255_000, 102_000, 240), 0.5, 800),
        wanting(Reports.flow(1, "skype-video", 155_000, 102_000, 140), 0.1, 300),
        wanting(Reports.flow(2, "skype-video", 55_000, 52_000, 40), 1.0, 0),
        wanting(Reports.flow(7, "hangout-video", 55_000, 52_000, 40), 0.2, 900));
  }

  private static FlowUsage wanting(FlowUsage flow, double busy, double spare) {
    return flow.toBuilder().setBusy(busy).setSpareKbitPerSecond(spare).build();
  }

  private static final String TERMS =
      "{\"fees\":{\"PER_MEGABYTE\":0.02,\"PER_MINUTE\":0.03},\"refunds\":{\"DELAY\":0.5},"
          + "\"discount\":{\"base\":\"SERVED\",\"denarii-per-megabyte\":0.2,\"cap\":0.3,\"beneficiary\":\"SPLIT\"}}";

  @Test
  void anExplanationHasAllThatTheChargeCanBeComputedAgainFrom() throws Exception {
    for (OperatingPoint point : OperatingPoint.values()) {
      List<Long> charges = PostedReports.post(alice, SeedTariff.at(point, TERMS), shared());
      assertThat(charges).hasSize(4);
      for (long charge : charges) {
        JsonNode answer = billing.get("/api/v1/charges/" + charge + "/explain", token).body();
        JsonNode explained = answer.get("explanation");
        assertThat(explained.get("point").asString()).isEqualTo(point.name());
        assertThat(explained.get("equalsPosted").asBoolean()).isTrue();
        assertThat(explained.get("discountBeneficiary").asString()).isEqualTo("SPLIT");
        assertThat(Long.toString(RecomputedCharge.of(explained)))
            .isEqualTo(explained.at("/bill/chargeMicrodenarii").asString());
        JsonNode shown = billing.get("/api/v1/charges/" + charge, token).body();
        assertThat(shown.get("netMicrodenarii").asString())
            .isEqualTo(explained.at("/bill/netMicrodenarii").asString());
        assertThat(shown.get("tariffVersion").asInt())
            .isEqualTo(answer.get("tariffVersion").asInt());
      }
    }
  }

  @Test
  void theStepsLeadFromTheMeasurementToTheNetAmount() throws Exception {
    long charge = PostedReports.post(alice, SeedTariff.read(), Reports.workedExample()).getFirst();
    JsonNode explained =
        billing.get("/api/v1/charges/" + charge + "/explain", token).body().get("explanation");
    JsonNode steps = explained.get("steps");
    assertThat(step(steps, "throughput")).isEqualTo(340.0);
    assertThat(step(steps, "priced")).isEqualTo(step(steps, "p") * step(steps, "V"));
    assertThat(step(steps, "charge")).isEqualTo(13_510_279);
    assertThat(step(steps, "discount")).isEqualTo(765_000);
    assertThat(step(steps, "net")).isEqualTo(13_510_279 - 765_000);
    for (int i = 0; i < steps.size(); i++) {
      assertThat(steps.get(i).get("number").asInt()).isEqualTo(i + 1);
    }
  }

  private static double step(JsonNode steps, String name) {
    for (JsonNode step : steps) {
      if (step.get("name").asString().equals(name)) {
        return step.get("value").asDouble();
      }
    }
    throw new AssertionError("no step " + name + " in " + steps);
  }

  private Answer simulate(String body) throws Exception {
    return billing.post("/api/v1/rating/simulate", token, body);
  }

  @Test
  void aSimulationThatChangesNothingIsTheBillThatWasPosted() throws Exception {
    long charge =
        PostedReports.post(alice, SeedTariff.at(OperatingPoint.OFFERED, TERMS), shared())
            .getFirst();
    JsonNode same = simulate("{\"charge\":\"%d\"}".formatted(charge)).body();
    assertThat(same.get("bill")).isEqualTo(same.get("posted"));
    assertThat(same.get("flows")).hasSize(4).allMatch(f -> f.get("equalsPosted").asBoolean());
  }

  @Test
  void aSimulationHasTheNumbersOfABillWithTheseMeasurements() throws Exception {
    var tariff = SeedTariff.at(OperatingPoint.OFFERED, TERMS);
    FlowUsage measured = wanting(Reports.flow(1, "skype-video", 255_000, 102_000, 240), 0.75, 128);
    FlowUsage other =
        wanting(Reports.flow(1, "skype-video", 255_000, 255_000, 80), 0.0, 466.0).toBuilder()
            .setDown(Reports.flow(1, "skype-video", 255_000, 255_000, 80).getDown())
            .build();
    long charge = PostedReports.post(alice, tariff, List.of(measured)).getFirst();
    JsonNode simulated =
        simulate(
                ("{\"charge\":\"%d\",\"withoutAggregation\":true,\"delayMs\":80,"
                        + "\"throughputKbitPerSecond\":500}")
                    .formatted(charge))
            .body();
    long posted = PostedReports.post(alice, tariff, List.of(other)).getFirst();
    JsonNode bill = billing.get("/api/v1/charges/" + posted + "/explain", token).body();
    assertThat(simulated.get("bill")).isEqualTo(bill.at("/explanation/bill"));
    assertThat(simulated.get("bill")).isNotEqualTo(simulated.get("posted"));
  }

  @Test
  void aSimulationCountsAsMuchLossAsABill() throws Exception {
    var tariff = SeedTariff.at(OperatingPoint.MEASURED, TERMS);
    FlowUsage whole = Reports.flow(1, "skype-video", 255_000, 102_000, 140);
    FlowUsage lossy =
        whole.toBuilder().setDown(whole.getDown().toBuilder().setLostPackets(10)).build();
    long charge = PostedReports.post(alice, tariff, List.of(whole)).getFirst();
    long posted = PostedReports.post(alice, tariff, List.of(lossy)).getFirst();
    JsonNode simulated = simulate("{\"charge\":\"%d\",\"loss\":0.25}".formatted(charge)).body();
    JsonNode bill = billing.get("/api/v1/charges/" + posted + "/explain", token).body();
    assertThat(simulated.get("bill")).isEqualTo(bill.at("/explanation/bill"));
    assertThat(simulated.get("bill")).isNotEqualTo(simulated.get("posted"));
  }

  @Test
  void aDraftOfATariffIsRatedAndStoredNowhere() throws Exception {
    long charge = PostedReports.post(alice, SeedTariff.read(), shared()).getFirst();
    int versions = billing.get("/api/v1/tariffs", token).body().get("tariffs").size();
    JsonNode draft =
        simulate(
                "{\"charge\":\"%d\",\"tariff\":%s}"
                    .formatted(
                        charge, TariffDocument.print(SeedTariff.at(OperatingPoint.OFFERED, TERMS))))
            .body();
    long posted =
        PostedReports.post(alice, SeedTariff.at(OperatingPoint.OFFERED, TERMS), shared())
            .getFirst();
    JsonNode same = simulate("{\"charge\":\"%d\"}".formatted(posted)).body();
    assertThat(draft.get("bill")).isEqualTo(same.get("posted"));
    assertThat(billing.get("/api/v1/tariffs", token).body().get("tariffs").size())
        .isEqualTo(versions + 1); // that of the second report
  }

  @Test
  void whatCannotBeRatedIsRefusedWithValueAndRule() throws Exception {
    long charge =
        PostedReports.post(alice, SeedTariff.at(OperatingPoint.OFFERED), shared()).getFirst();
    Answer slow =
        simulate("{\"charge\":\"%d\",\"throughputKbitPerSecond\":61.9}".formatted(charge));
    assertThat(slow.status()).isEqualTo(400);
    assertThat(slow.body().get("detail").asString())
        .contains("throughputKbitPerSecond must be at least 62.0", "got 61.9");
    Answer loss = simulate("{\"charge\":\"%d\",\"loss\":1.5}".formatted(charge));
    assertThat(loss.status()).isEqualTo(400);
    assertThat(loss.body().get("detail").asString()).contains("loss must be between 0.0 and 1.0");
    Answer tariff = simulate("{\"charge\":\"%d\",\"tariff\":{\"classes\":{}}}".formatted(charge));
    assertThat(tariff.status()).isEqualTo(422);
    assertThat(tariff.problem()).isEqualTo("tariff-refused");
    assertThat(simulate("{\"charge\":\"x\"}").status()).isEqualTo(404);
  }

  @Test
  void theChargesOfOthersCanNeitherBeExplainedNorSimulated() throws Exception {
    String bob = "bob-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, bob);
    long charge = PostedReports.post(bob, SeedTariff.read(), shared()).getFirst();
    assertThat(billing.get("/api/v1/charges/" + charge + "/explain", token).status())
        .isEqualTo(404);
    assertThat(simulate("{\"charge\":\"%d\"}".formatted(charge)).status()).isEqualTo(404);
    assertThat(billing.get("/api/v1/charges/" + charge + "/explain", operator).status())
        .isEqualTo(200);
  }
}
