package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.tariff.ApplicationReference;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PriceTest {
  private static final Tariff TARIFF = TariffDocument.initial();

  @Test
  void everyVectorIsReproducedBitForBit() throws Exception {
    JsonMapper json = new JsonMapper();
    int lines = 0;
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(
                PriceTest.class.getResourceAsStream("vectors.jsonl"), StandardCharsets.UTF_8))) {
      SoftAssertions all = new SoftAssertions();
      for (String line; (line = reader.readLine()) != null; lines++) {
        check(all, json.readTree(line), line);
      }
      all.assertAll();
    }
    assertThat(lines).isEqualTo(1104);
  }

  private static void check(SoftAssertions all, JsonNode v, String line) {
    String application = v.get("app").asString();
    long bytes = v.get("bytes").asLong();
    long durationMs = v.get("dt_ms").asLong();
    ApplicationReference named = TARIFF.applications().get(application);
    ServiceClass serviceClass = named.serviceClass();
    double throughputKbitPerSecond = bytes * 8.0 / durationMs;
    double units = bytes * 8.0 / 1000.0 / TARIFF.of(serviceClass).kappaThroughput();
    Price price =
        Price.at(
            TARIFF.of(serviceClass),
            TARIFF.reference(serviceClass, application),
            throughputKbitPerSecond,
            v.get("delay_ms").asDouble(),
            v.get("loss").asDouble());
    same(all, line, "U", v.get("U"), price.utilityPerSecond());
    same(all, line, "dUdx", v.get("dUdx"), price.utilityByThroughput());
    same(all, line, "dUdd", v.get("dUdd"), price.utilityByDelay());
    same(all, line, "p", v.get("p"), price.perUnit());
    same(all, line, "x", v.get("x"), throughputKbitPerSecond);
    same(all, line, "V", v.get("V"), units);
    all.assertThat(RatedFlow.charge(price, units, durationMs).value())
        .as("micro of %s", line)
        .isEqualTo(v.get("micro").asLong());
  }

  private static void same(
      SoftAssertions all, String line, String key, JsonNode expected, double actual) {
    all.assertThat(Double.doubleToRawLongBits(actual))
        .as("%s of %s", key, line)
        .isEqualTo(Double.doubleToRawLongBits(expected.asDouble()));
  }

  private static FlowMeasure flow(String application, long pre, long post, double delayMs) {
    return new FlowMeasure(
        ServiceClass.HT_LD,
        application,
        pre,
        post,
        100,
        0,
        60_000,
        delayMs,
        3.5,
        DelaySource.MEASURED);
  }

  @Test
  void theAggregateOfTheWorkedExampleHasTheChargeOfItsClass() {
    RatedFlow aggregate = RatedFlow.of(flow("", 1_590_000, 1_590_000, 180), TARIFF);
    assertThat(aggregate.charge().value()).isEqualTo(17_262_666);
  }

  @Test
  void theInnerFlowsOfTheWorkedExampleHaveThePrintedChargesAndDiscounts() {
    List<RatedFlow> flows =
        List.of(
            RatedFlow.of(flow("skype-video", 2_550_000, 1_020_000, 140), TARIFF),
            RatedFlow.of(flow("hangout-video", 1_425_000, 570_000, 150), TARIFF));
    assertThat(flows).extracting(f -> f.charge().value()).containsExactly(13_510_279L, 22_030_879L);
    long charge = flows.stream().mapToLong(f -> f.charge().value()).sum();
    long discount = flows.stream().mapToLong(f -> f.discount().value()).sum();
    assertThat(charge).isEqualTo(35_541_158);
    assertThat(discount).isEqualTo(1_192_500);
    assertThat(charge - discount).isEqualTo(34_348_658);
  }

  @Test
  void aDiscountNeverExceedsItsCapAndNeverTurnsNegative() {
    RatedFlow mostlySaved = RatedFlow.of(flow("ssh", 50_000_000, 0, 4000), TARIFF);
    assertThat(mostlySaved.discount().value())
        .isEqualTo((long) Math.rint(0.3 * mostlySaved.charge().value()));
    assertThat(RatedFlow.of(flow("ssh", 1000, 5000, 10), TARIFF).discount().value()).isZero();
  }

  @Test
  void aSlightlyNegativeDelayIsZeroAndAVeryNegativeOneIsTheReferenceAndASkew() {
    assertThat(RatedFlow.of(flow("ssh", 1000, 900, -5.0), TARIFF).delay())
        .isEqualTo(new BilledDelay(0, 3.5, DelaySource.MEASURED, false));
    assertThat(RatedFlow.of(flow("ssh", 1000, 900, -5.001), TARIFF).delay())
        .isEqualTo(new BilledDelay(200, null, DelaySource.REFERENCE, true));
  }

  @Test
  void aMissingDelayIsTheReferenceOfTheApplicationElseOfTheClass() {
    FlowMeasure voice =
        new FlowMeasure(
            ServiceClass.HT_LD,
            "skype-voice",
            1000,
            900,
            1,
            0,
            1000,
            0,
            null,
            DelaySource.REFERENCE);
    assertThat(RatedFlow.of(voice, TARIFF).delay().delayMs()).isEqualTo(500);
    FlowMeasure unknown =
        new FlowMeasure(
            ServiceClass.HT_LD,
            "nobody-knows",
            1000,
            900,
            1,
            0,
            1000,
            0,
            null,
            DelaySource.REFERENCE);
    assertThat(RatedFlow.of(unknown, TARIFF).delay().delayMs()).isEqualTo(200);
  }

  @Test
  void nothingCarriedCostsNothing() {
    RatedFlow nothing = RatedFlow.of(flow("ssh", 0, 0, 10), TARIFF);
    assertThat(nothing.charge().value()).isZero();
    assertThat(nothing.discount().value()).isZero();
  }

  @Test
  void tenPercentIsRoundedHalfEven() {
    assertThat(Rounding.share(new io.viaduct.billing.ledger.MicroDenarii(5), 0.1).value()).isZero();
    assertThat(Rounding.share(new io.viaduct.billing.ledger.MicroDenarii(15), 0.1).value())
        .isEqualTo(2);
    assertThat(Rounding.share(new io.viaduct.billing.ledger.MicroDenarii(25), 0.1).value())
        .isEqualTo(2);
  }
}
