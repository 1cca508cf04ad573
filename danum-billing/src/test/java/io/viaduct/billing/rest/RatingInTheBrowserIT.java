package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType.LaunchOptions;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.Playwright.CreateOptions;
import io.viaduct.billing.rating.DelaySource;
import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.FlowMeasure;
import io.viaduct.billing.rating.PriceTest;
import io.viaduct.billing.rating.RatedFlow;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.settlement.ChargedReport;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.Terms;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The page's rating.js in Chromium beside the rater: the same bits from the same explanation.
class RatingInTheBrowserIT {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path SCRIPT =
      Path.of(
          System.getProperty("viaduct.root"), "webgui/src/main/resources/static/assets/rating.js");
  private static final JsonMapper JSON = JsonBody.mapper();
  private static final int BATCH = 250;
  private static final int RANDOM_POINTS = 10_000;
  private static final long SEED = 20;

  private static final String RATE_ALL =
      """
      (text) => JSON.stringify(JSON.parse(text).map((explained) => {
        const rated = viaduct.rating.rate(explained);
        const bill = Object.entries(rated.bill).map(([name, amount]) => [name + 'Microdenarii', String(amount)]);
        return { bill: Object.fromEntries(bill), p: rated.here.perUnit, U: rated.received.utility,
          V: rated.units, priced: rated.priced, utility: rated.utility, offered: rated.at.offered };
      }))
      """;

  private static Playwright playwright;
  private static Page page;
  private static Browser chromium;

  @BeforeAll
  static void startChromium() throws Exception {
    assumeTrue(Files.isExecutable(CHROMIUM), CHROMIUM + " is missing: apt-get install chromium");
    playwright =
        Playwright.create(
            new CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    chromium =
        playwright
            .chromium()
            .launch(
                new LaunchOptions()
                    .setExecutablePath(CHROMIUM)
                    .setArgs(List.of("--no-sandbox", "--disable-gpu", "--no-first-run")));
    page = chromium.newPage();
    page.evaluate(Files.readString(SCRIPT));
  }

  @AfterAll
  static void stopChromium() {
    if (playwright != null) {
      playwright.close();
    }
  }

  /// A flow that was rated by the JVM, with what the REST interface says about it.
  private record Rated(Explanation explanation, RatedFlow flow, String what) {}

  @Test
  void everyVectorOfTheMeasuredPointHasTheSameIntegerInTheBrowser() throws Exception {
    Terms terms = Terms.of(SeedTariff.read());
    List<Rated> all = new ArrayList<>();
    List<Long> expected = new ArrayList<>();
    for (String line : PriceTest.lines("vectors.jsonl")) {
      JsonNode vector = JSON.readTree(line);
      long durationMs = vector.get("dt_ms").asLong();
      FlowMeasure flow =
          PriceTest.measure(vector.get("app").asString(), vector, durationMs, Demand.UNKNOWN);
      all.addAll(rate(List.of(flow), durationMs, terms, line));
      expected.add(vector.get("micro").asLong());
    }
    compare(all, expected);
    assertThat(all).hasSize(1104);
  }

  /// The second file has 10,000 random flows of the oracle.
  @ParameterizedTest
  @CsvSource({"vectors-offered.jsonl,432", "vectors-random.jsonl.gz,4556"})
  void everyVectorOfTheOfferedPointHasTheSameIntegerInTheBrowser(String file, int size)
      throws Exception {
    Terms terms = Terms.of(SeedTariff.at(OperatingPoint.OFFERED));
    List<Rated> all = new ArrayList<>();
    List<Long> expected = new ArrayList<>();
    List<String> lines = PriceTest.lines(file);
    for (String line : lines) {
      JsonNode vector = JSON.readTree(line);
      long intervalMs = vector.get("dt_ms").asLong();
      List<FlowMeasure> flows = new ArrayList<>();
      for (JsonNode flow : vector.get("flows")) {
        flows.add(
            PriceTest.measure(
                vector.get("app").asString(),
                flow,
                intervalMs / 2 + 1,
                new Demand(
                    flow.get("busy").asDouble(), flow.get("spare").asDouble(), Demand.End.SNAPT)));
        expected.add(flow.get("micro").asLong());
      }
      all.addAll(rate(flows, intervalMs, terms, line));
    }
    compare(all, expected);
    assertThat(lines).hasSize(size);
  }

  @Test
  void randomReportsUnderRandomTermsHaveTheSameBillInTheBrowser() {
    Random random = new Random(SEED);
    List<Rated> all = new ArrayList<>();
    while (all.size() < RANDOM_POINTS) {
      Terms terms = terms(random);
      long intervalMs = 1 + random.nextInt(300_000);
      List<FlowMeasure> flows = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(4); i++) {
        flows.add(flow(random, terms.tariff(), intervalMs));
      }
      all.addAll(rate(flows, intervalMs, terms, "seed " + SEED + ", point " + all.size()));
    }
    compare(all, List.of());
    assertThat(all.stream().filter(r -> r.flow().lines().charge().value() > 0).count())
        .as("most points cost something")
        .isGreaterThan(RANDOM_POINTS / 2);
    assertThat(all.stream().filter(r -> r.flow().lines().refund().value() > 0).count())
        .as("some points are refunded")
        .isGreaterThan(RANDOM_POINTS / 50);
  }

  private static List<Rated> rate(
      List<FlowMeasure> measures, long intervalMs, Terms terms, String what) {
    List<RatedFlow> rated = RatedReport.of(measures, intervalMs, terms).flows();
    List<ChargedReport.Flow> flows = new ArrayList<>();
    for (int i = 0; i < rated.size(); i++) {
      flows.add(new ChargedReport.Flow(i, i, null, null, measures.get(i), rated.get(i).lines(), 1));
    }
    ChargedReport report =
        new ChargedReport("alice", "owner", 1, null, java.time.Instant.EPOCH, intervalMs, flows);
    List<Rated> all = new ArrayList<>();
    for (int i = 0; i < rated.size(); i++) {
      all.add(new Rated(Explanation.of(report, i, measures, rated, terms), rated.get(i), what));
    }
    return all;
  }

  /// @param expected charges of the oracle; none where the rater is the only one
  private static void compare(List<Rated> all, List<Long> expected) {
    for (int from = 0; from < all.size(); from += BATCH) {
      List<Rated> batch = all.subList(from, Math.min(from + BATCH, all.size()));
      String explained = JSON.writeValueAsString(batch.stream().map(Rated::explanation).toList());
      JsonNode answers = JSON.readTree((String) page.evaluate(RATE_ALL, explained));
      for (int i = 0; i < batch.size(); i++) {
        Rated rated = batch.get(i);
        JsonNode answer = answers.get(i);
        String what = rated.what() + ": " + JSON.writeValueAsString(rated.explanation());
        assertThat(answer.get("bill"))
            .as(what)
            .isEqualTo(JSON.valueToTree(rated.explanation().bill()));
        if (!expected.isEmpty()) {
          assertThat(answer.at("/bill/chargeMicrodenarii").asLong())
              .as(what)
              .isEqualTo(expected.get(from + i));
        }
        RatedFlow flow = rated.flow();
        same(what, answer, "p", flow.price().perUnit());
        same(what, answer, "U", flow.received().utilityPerSecond());
        same(what, answer, "V", flow.units());
        same(what, answer, "priced", flow.price().perUnit() * flow.units());
        same(what, answer, "utility", flow.utility());
        same(what, answer, "offered", flow.placement().offered());
      }
    }
  }

  private static void same(String what, JsonNode answer, String name, double expected) {
    assertThat(Double.doubleToLongBits(answer.get(name).asDouble()))
        .as(name + " of " + what)
        .isEqualTo(Double.doubleToLongBits(expected + 0.0)); // JSON.stringify writes -0 as 0
  }

  private static Terms terms(Random random) {
    String changes =
        """
        {"fees":{"PER_MEGABYTE":%s,"PER_MINUTE":%s},"refunds":{"DELAY":%s,"THROUGHPUT":%s},
        "caps":{%s},
        "discount":{"base":"%s","denarii-per-megabyte":%s,"cap":%s,"beneficiary":"%s"}}\
        """
            .formatted(
                random.nextDouble() * 0.1,
                random.nextInt(7) * 0.01,
                random.nextInt(11) / 10.0,
                random.nextDouble(),
                random.nextInt(4) == 0 ? "\"FLOW_INTERVAL\":" + random.nextDouble() : "",
                random.nextBoolean() ? "SAVED" : "SERVED",
                random.nextDouble(),
                random.nextDouble(),
                List.of("USER", "SHARER", "SPLIT").get(random.nextInt(3)));
    Tariff tariff = SeedTariff.at(OperatingPoint.values()[random.nextInt(2)], changes);
    Surcharge surcharge =
        random.nextBoolean()
            ? Surcharge.NONE
            : TariffDocument.parseSurcharge(
                "{\"denarii-per-megabyte\":{\"HT_LD\":" + random.nextDouble() * 0.2 + "}}");
    return new Terms(tariff, surcharge);
  }

  private static FlowMeasure flow(Random random, Tariff tariff, long intervalMs) {
    List<String> names = List.copyOf(tariff.applications().keySet());
    String application =
        random.nextInt(8) == 0 ? "of-no-tariff" : names.get(random.nextInt(names.size()));
    long pre = random.nextInt(20) == 0 ? 0 : (long) Math.exp(random.nextDouble() * 20);
    return new FlowMeasure(
        ServiceClass.values()[random.nextInt(4)],
        application,
        pre,
        (long) (pre * random.nextDouble() * 1.3),
        random.nextInt(3) == 0 ? 0 : random.nextDouble() * random.nextDouble(),
        1 + random.nextLong(intervalMs),
        random.nextDouble() * 1500 - 20,
        random.nextBoolean() ? null : random.nextDouble() * 10,
        DelaySource.values()[random.nextInt(DelaySource.values().length)],
        random.nextInt(5) == 0
            ? Demand.UNKNOWN
            : new Demand(
                random.nextDouble(),
                random.nextDouble() * random.nextDouble() * 20_000,
                Demand.End.values()[random.nextInt(2)]),
        random.nextInt(10) == 0 ? 7L : null);
  }
}
