package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.rest.ChargesOnFile.OnFile;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class UsageTest {
  private static final Instant FIRST = Instant.parse("2026-02-27T22:00:00Z");
  private static RunningBilling billing;
  private static String operator;
  private static String account;
  private static List<OnFile> charges;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, new ManualClock());
    operator = billing.operator();
    account = "uma-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, account);
    charges = ChargesOnFile.add(account, 300, FIRST, new Random(11));
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private static Answer usage(String query) throws Exception {
    return billing.get("/api/v1/accounts/" + account + "/usage?" + query, operator);
  }

  private static String sum(List<OnFile> of, ToLongFunction<OnFile> part) {
    return of.stream()
        .map(c -> BigInteger.valueOf(part.applyAsLong(c)))
        .reduce(BigInteger.ZERO, BigInteger::add)
        .toString();
  }

  private static Map<String, String> sums(List<OnFile> of) {
    return Map.of(
        "charges", Integer.toString(of.size()),
        "preBytes", sum(of, OnFile::pre),
        "postBytes", sum(of, OnFile::post),
        "savedBytes", sum(of, c -> c.pre() - c.post()),
        "durationMs", sum(of, OnFile::durationMs),
        "chargeMicrodenarii", sum(of, OnFile::charge),
        "discountMicrodenarii", sum(of, OnFile::discount),
        "netMicrodenarii", sum(of, c -> c.charge() - c.discount()));
  }

  private static String key(OnFile c, String by) {
    return List.of(by.split(",")).stream()
        .map(part ->
            switch (part) {
              case "day" -> c.start().atOffset(ZoneOffset.UTC).toLocalDate().toString();
              case "class" -> c.serviceClass();
              default -> c.application();
            })
        .collect(Collectors.joining("|"));
  }

  private static String key(JsonNode row) {
    List<String> parts = new ArrayList<>();
    for (String name : List.of("day", "serviceClass", "application")) {
      if (!row.path(name).isNull() && row.has(name)) {
        parts.add(row.get(name).asString());
      }
    }
    return String.join("|", parts);
  }

  @Test
  void sumsOfAClassAndAnApplicationLeaveOutAllOthers() throws Exception {
    List<OnFile> some =
        charges.stream()
            .filter(c -> c.serviceClass().equals("HT_LD") && c.application().equals("ssh"))
            .toList();
    holds(usage("by=&class=HT_LD&application=ssh").body().get("total"), some);
    assertThat(usage("device=nobody").body().get("total").get("charges").asString()).isEqualTo("0");
  }

  @Test
  void sumsOfALinkLeaveOutTheOtherLinks() throws Exception {
    String busy = "ulla-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, busy);
    ChargesOnFile.addMany(busy, 2000, FIRST); // one interval of a thousand over rmnet0
    try {
      String sums = "/api/v1/accounts/" + busy + "/usage?by=&link=";
      JsonNode rare = billing.get(sums + "rmnet0", operator).body().get("total");
      assertThat(rare.get("charges").asString()).isEqualTo("2");
      assertThat(rare.get("netMicrodenarii").asString()).isEqualTo("1800");
      JsonNode others = billing.get(sums + "wlan0", operator).body().get("total");
      assertThat(others.get("charges").asString()).isEqualTo("1998");
      assertThat(billing.get(sums + "nowhere", operator).body().at("/total/charges").asString())
          .isEqualTo("0");
    } finally {
      ChargesOnFile.remove(busy);
    }
  }

  @Test
  void daysAndHoursAreThoseOfTheZoneThatIsAskedFor() throws Exception {
    // Half an hour off: its hours begin between those of UTC. And one whose clocks change in March.
    for (String name : List.of("Asia/Kolkata", "Europe/Warsaw", "America/St_Johns")) {
      ZoneId zone = ZoneId.of(name);
      Map<String, List<OnFile>> byDay =
          charges.stream()
              .collect(Collectors.groupingBy(c -> c.start().atZone(zone).toLocalDate().toString()));
      JsonNode days = usage("by=day&zone=" + name).body().get("usage");
      assertThat(days.size()).as(name).isEqualTo(byDay.size());
      for (JsonNode day : days) {
        holds(day, byDay.get(day.get("day").asString()));
      }
      Map<Instant, List<OnFile>> byHour =
          charges.stream()
              .collect(
                  Collectors.groupingBy(
                      c -> c.start().atZone(zone).truncatedTo(ChronoUnit.HOURS).toInstant()));
      JsonNode hours = usage("by=hour&zone=" + name).body().get("usage");
      assertThat(hours.size()).as(name).isEqualTo(byHour.size());
      for (JsonNode hour : hours) {
        holds(hour, byHour.get(Instant.parse(hour.get("hour").asString())));
      }
    }
    assertThat(usage("zone=Mars").body().get("detail").asString())
        .contains("got 'Mars'", "Europe/Rome");
  }

  private static void holds(JsonNode row, List<OnFile> of) {
    sums(of)
        .forEach((name, value) ->
            assertThat(row.get(name).asString()).as(name + " of " + row).isEqualTo(value));
  }

  @Test
  void theSumsEqualThoseOfTheChargesForEveryGrouping() throws Exception {
    Instant from = FIRST.plus(Duration.ofHours(20));
    Instant to = FIRST.plus(Duration.ofHours(80));
    List<OnFile> inTime =
        charges.stream().filter(c -> !c.start().isBefore(from) && c.start().isBefore(to)).toList();
    for (String by : List.of("day", "class", "application", "day,class", "day,class,application")) {
      JsonNode answer = usage("from=" + from + "&to=" + to + "&by=" + by).body();
      Map<String, List<OnFile>> expected =
          inTime.stream()
              .collect(Collectors.groupingBy(c -> key(c, by), TreeMap::new, Collectors.toList()));
      assertThat(answer.get("usage").size()).as(by).isEqualTo(expected.size());
      for (JsonNode row : answer.get("usage")) {
        holds(row, expected.get(key(row)));
      }
      holds(answer.get("total"), inTime);
    }
    assertThat(usage("by=day").body().get("usage").get(0).get("day").asString())
        .isGreaterThan(usage("by=day").body().get("usage").get(1).get("day").asString());
  }

  @Test
  void withoutChargesTheSumsAreZero() throws Exception {
    JsonNode none = usage("from=2030-01-01T00:00:00Z").body();
    assertThat(none.get("usage")).isEmpty();
    assertThat(none.at("/total/netMicrodenarii").asString()).isEqualTo("0");
    assertThat(none.at("/total/charges").asString()).isEqualTo("0");
  }

  @Test
  void anUnknownGroupingIsRefused() throws Exception {
    for (String by : List.of("week", "day,day", "day,", ",")) {
      Answer refused = usage("by=" + by);
      assertThat(refused.status()).as(by).isEqualTo(400);
      assertThat(refused.body().get("detail").asString())
          .contains("day, hour, class, application, device", by);
    }
  }

  @Test
  void theFilesContainEveryChargeAndSumButNoFormula() throws Exception {
    Answer file = billing.get("/api/v1/accounts/" + account + "/charges.csv", operator);
    assertThat(file.status()).isEqualTo(200);
    assertThat(file.raw().headers().firstValue("Content-Type").orElseThrow().toLowerCase())
        .startsWith("text/csv")
        .contains("charset=utf-8", "header=present");
    assertThat(file.raw().headers().firstValue("Content-Disposition"))
        .contains("attachment; filename=\"viaduct-charges-" + account + ".csv\"");
    List<List<String>> rows = CsvReader.read(file.raw().body());
    List<String> names = rows.getFirst();
    assertThat(names).contains("id", "serviceClass", "netMicrodenarii", "limitedBy");
    assertThat(rows).hasSize(charges.size() + 1).allMatch(row -> row.size() == names.size());
    Map<String, OnFile> byId =
        charges.stream().collect(Collectors.toMap(c -> Long.toString(c.id()), c -> c));
    for (List<String> row : rows.subList(1, rows.size())) {
      OnFile c = byId.remove(row.get(names.indexOf("id")));
      String guarded = c.application().startsWith("-") ? "'" + c.application() : c.application();
      assertThat(row.get(names.indexOf("application"))).isEqualTo(guarded);
      assertThat(row.get(names.indexOf("start"))).isEqualTo(c.start().toString());
      assertThat(row.get(names.indexOf("netMicrodenarii")))
          .isEqualTo(Long.toString(c.charge() - c.discount()));
      assertThat(row).allMatch(cell -> !cell.matches("(?s)[=+@-].*"));
    }
    assertThat(byId).isEmpty();

    Answer sums = billing.get("/api/v1/accounts/" + account + "/usage.csv?by=class", operator);
    List<List<String>> perClass = CsvReader.read(sums.raw().body());
    assertThat(perClass).hasSize(5);
    assertThat(perClass.get(1).get(perClass.getFirst().indexOf("serviceClass"))).isEqualTo("HT_HD");
    assertThat(
            billing
                .get("/api/v1/accounts/" + account + "/charges.csv?cursor=x", operator)
                .body()
                .get("detail")
                .asString())
        .startsWith("unknown query parameter 'cursor'");
  }

  @Test
  void cellsAreQuotedAndGuarded() {
    assertThat(Csv.cell("a,b")).isEqualTo("\"a,b\"");
    assertThat(Csv.cell("a\"b")).isEqualTo("\"a\"\"b\"");
    assertThat(Csv.cell("a\nb")).isEqualTo("\"a\nb\"");
    assertThat(Csv.cell("=1+1")).isEqualTo("'=1+1");
    assertThat(Csv.cell("@SUM(A1)")).isEqualTo("'@SUM(A1)");
    assertThat(Csv.cell("+1")).isEqualTo("'+1");
    assertThat(Csv.cell("-1")).isEqualTo("'-1");
    assertThat(Csv.cell("\t=1")).isEqualTo("'\t=1");
    assertThat(Csv.cell("=\"x\",1")).isEqualTo("\"'=\"\"x\"\",1\"");
    assertThat(Csv.cell(-1.5)).isEqualTo("-1.5");
    assertThat(Csv.cell(null)).isEmpty();
  }
}
