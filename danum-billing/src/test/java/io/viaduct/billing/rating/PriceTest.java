package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Terms;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

public class PriceTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Terms MEASURED = Terms.of(SeedTariff.read());
  private static final Terms OFFERED = Terms.of(SeedTariff.at(OperatingPoint.OFFERED));

  @Test
  void everyVectorOfTheMeasuredPointIsReproducedBitForBit() throws Exception {
    SoftAssertions all = new SoftAssertions();
    List<String> lines = lines("vectors.jsonl");
    lines.forEach(line -> checkMeasured(all, JSON.readTree(line), line));
    all.assertAll();
    assertThat(lines).hasSize(1104);
  }

  /// The second file has 10,000 random flows of the oracle.
  @ParameterizedTest
  @CsvSource({"vectors-offered.jsonl,432", "vectors-random.jsonl.gz,4556"})
  void everyVectorOfTheOfferedPointIsReproducedBitForBit(String file, int size) throws Exception {
    List<String> lines = lines(file);
    SoftAssertions all = new SoftAssertions();
    for (String line : lines) {
      checkOffered(all, JSON.readTree(line), line);
    }
    all.assertAll();
    assertThat(lines).hasSize(size);
  }

  /// The lines of a file of vectors; a name that ends with `.gz` is unpacked.
  public static List<String> lines(String resource) throws Exception {
    try (InputStream in = Objects.requireNonNull(PriceTest.class.getResourceAsStream(resource));
        InputStream plain = resource.endsWith(".gz") ? new GZIPInputStream(in) : in) {
      return new String(plain.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
  }

  private static void checkMeasured(SoftAssertions all, JsonNode v, String line) {
    String application = v.get("app").asString();
    long durationMs = v.get("dt_ms").asLong();
    FlowMeasure flow = measure(application, v, durationMs, Demand.UNKNOWN);
    RatedFlow rated = RatedReport.of(List.of(flow), durationMs, MEASURED).flows().getFirst();
    same(all, line, "U", v.get("U"), rated.utilityPerSecond());
    same(all, line, "dUdx", v.get("dUdx"), rated.price().utilityByThroughput());
    same(all, line, "dUdd", v.get("dUdd"), rated.price().utilityByDelay());
    same(all, line, "x", v.get("x"), rated.placement().throughput());
    checkCharge(all, v, line, rated);
  }

  private static void checkOffered(SoftAssertions all, JsonNode v, String line) {
    String application = v.get("app").asString();
    long intervalMs = v.get("dt_ms").asLong();
    List<FlowMeasure> flows = new ArrayList<>();
    for (JsonNode flow : v.get("flows")) {
      Demand demand = Measures.demand(flow.get("busy").asDouble(), flow.get("spare").asDouble());
      // The flow lived in a part of the interval only, which must not matter.
      flows.add(measure(application, flow, intervalMs / 2 + 1, demand));
    }
    List<RatedFlow> rated = RatedReport.of(flows, intervalMs, OFFERED).flows();
    for (int i = 0; i < flows.size(); i++) {
      JsonNode expected = v.get("flows").get(i);
      same(all, line, "x", expected.get("x"), rated.get(i).placement().throughput());
      same(all, line, "offered", expected.get("offered"), rated.get(i).placement().offered());
      checkCharge(all, expected, line, rated.get(i));
    }
  }

  /// The flow of a vector.
  public static FlowMeasure measure(
      String application, JsonNode v, long durationMs, Demand demand) {
    long bytes = v.get("bytes").asLong();
    return new FlowMeasure(
        Objects.requireNonNull(MEASURED.tariff().applications().get(application)).serviceClass(),
        application,
        bytes,
        bytes,
        v.get("loss").asDouble(),
        durationMs,
        v.get("delay_ms").asDouble(),
        null,
        DelaySource.MEASURED,
        demand);
  }

  private static void checkCharge(SoftAssertions all, JsonNode v, String line, RatedFlow rated) {
    same(all, line, "p", v.get("p"), rated.price().perUnit());
    same(all, line, "V", v.get("V"), rated.units());
    all.assertThat(rated.lines().charge().value())
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
    return Measures.carrying(
        Measures.flow(ServiceClass.HT_LD, application, 1, delayMs, Demand.UNKNOWN), pre, post);
  }

  private static RatedFlow rate(FlowMeasure flow) {
    return RatedReport.of(List.of(flow), 60_000, MEASURED).flows().getFirst();
  }

  @Test
  void theAggregateOfTheWorkedExampleHasTheChargeOfItsClass() {
    RatedFlow aggregate = rate(flow("", 1_590_000, 1_590_000, 180));
    assertThat(aggregate.lines().charge().value()).isEqualTo(17_262_666);
  }

  @Test
  void theInnerFlowsOfTheWorkedExampleHaveThePrintedChargesAndDiscounts() {
    List<RatedFlow> flows =
        RatedReport.of(
                List.of(
                    flow("skype-video", 2_550_000, 1_020_000, 140),
                    flow("hangout-video", 1_425_000, 570_000, 150)),
                60_000,
                MEASURED)
            .flows();
    assertThat(flows)
        .extracting(f -> f.lines().charge().value())
        .containsExactly(13_510_279L, 22_030_879L);
    long charge = flows.stream().mapToLong(f -> f.lines().charge().value()).sum();
    long discount = flows.stream().mapToLong(f -> f.lines().discount().value()).sum();
    assertThat(charge).isEqualTo(35_541_158);
    assertThat(discount).isEqualTo(1_192_500);
    assertThat(charge - discount).isEqualTo(34_348_658);
  }

  @Test
  void aDiscountNeverExceedsItsCapAndNeverTurnsNegative() {
    RatedFlow mostlySaved = rate(flow("ssh", 50_000_000, 0, 4000));
    assertThat(mostlySaved.lines().discount().value())
        .isEqualTo((long) Math.rint(0.3 * mostlySaved.lines().charge().value()));
    assertThat(rate(flow("ssh", 1000, 5000, 10)).lines().discount().value()).isZero();
  }

  @Test
  void aSlightlyNegativeDelayIsZeroAndAVeryNegativeOneIsTheReferenceAndASkew() {
    assertThat(rate(flow("ssh", 1000, 900, -5.0)).delay())
        .isEqualTo(new BilledDelay(0, 3.5, DelaySource.MEASURED, false));
    assertThat(rate(flow("ssh", 1000, 900, -5.001)).delay())
        .isEqualTo(new BilledDelay(200, null, DelaySource.REFERENCE, true));
  }

  @Test
  void aMissingDelayIsTheReferenceOfTheApplicationElseOfTheClass() {
    assertThat(rate(withoutDelay("skype-voice")).delay().delayMs()).isEqualTo(500);
    assertThat(rate(withoutDelay("nobody-knows")).delay().delayMs()).isEqualTo(200);
  }

  private static FlowMeasure withoutDelay(String application) {
    return new FlowMeasure(
        ServiceClass.HT_LD,
        application,
        1000,
        900,
        0.0,
        1000,
        0,
        null,
        DelaySource.REFERENCE,
        Demand.UNKNOWN);
  }

  @Test
  void nothingCarriedCostsNothing() {
    RatedFlow nothing = rate(flow("ssh", 0, 0, 10));
    assertThat(nothing.lines().charge().value()).isZero();
    assertThat(nothing.lines().discount().value()).isZero();
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
