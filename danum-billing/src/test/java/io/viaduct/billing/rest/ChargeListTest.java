package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.rest.ChargesOnFile.OnFile;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ChargeListTest {
  private static final Instant FIRST = Instant.parse("2026-03-01T00:00:00Z");
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

  private static String fresh() throws Exception {
    String id = "nora-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, id);
    return id;
  }

  private static Answer list(String account, String query) throws Exception {
    return billing.get("/api/v1/accounts/" + account + "/charges?" + query, operator);
  }

  private static List<String> all(String account, String filter, int limit) throws Exception {
    List<String> ids = new ArrayList<>();
    String cursor = "";
    do {
      Answer page = list(account, filter + "limit=" + limit + "&cursor=" + cursor);
      assertThat(page.status()).as(page.raw().body()).isEqualTo(200);
      page.body().get("charges").forEach(c -> ids.add(c.get("id").asString()));
      cursor = page.body().path("next").asString("");
    } while (!cursor.isEmpty());
    return ids;
  }

  private static List<String> oracle(List<OnFile> charges, Predicate<OnFile> fits) {
    return charges.stream()
        .filter(fits)
        .sorted(Comparator.comparing(OnFile::start).thenComparing(OnFile::id).reversed())
        .map(c -> Long.toString(c.id()))
        .toList();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void anyCombinationOfFiltersGivesThePagesOfASlowOracle() throws Exception {
    String account = fresh();
    long seed = System.identityHashCode(account);
    Random random = new Random(seed);
    List<OnFile> charges = ChargesOnFile.add(account, 250, FIRST, random);
    for (int round = 0; round < 40; round++) {
      StringBuilder query = new StringBuilder();
      Predicate<OnFile> fits = _ -> true;
      if (random.nextBoolean()) {
        Instant from = FIRST.plus(Duration.ofMinutes(30L * random.nextInt(150)));
        query.append("from=").append(from).append('&');
        fits = fits.and(c -> !c.start().isBefore(from));
      }
      if (random.nextBoolean()) {
        Instant to = FIRST.plus(Duration.ofMinutes(30L * (150 + random.nextInt(60))));
        query.append("to=").append(to).append('&');
        fits = fits.and(c -> c.start().isBefore(to));
      }
      if (random.nextInt(3) == 0) {
        String chosen = ChargesOnFile.CLASSES.get(random.nextInt(4));
        query.append("class=").append(chosen).append('&');
        fits = fits.and(c -> c.serviceClass().equals(chosen));
      }
      if (random.nextInt(3) == 0) {
        String chosen = ChargesOnFile.STATES.get(random.nextInt(3));
        query.append("state=").append(chosen.toLowerCase(Locale.ROOT)).append('&');
        fits = fits.and(c -> c.state().equals(chosen));
      }
      if (random.nextInt(3) == 0) {
        String chosen = ChargesOnFile.APPLICATIONS.get(random.nextInt(4));
        query.append("application=").append(encoded(chosen)).append('&');
        fits = fits.and(c -> c.application().equals(chosen));
      }
      if (random.nextInt(3) == 0) {
        query.append("snapt=snapt-b&");
        fits = fits.and(c -> c.snapt().equals("snapt-b"));
      }
      assertThat(all(account, query.toString(), 1 + random.nextInt(60)))
          .as("seed %d, %s", seed, query)
          .isEqualTo(oracle(charges, fits));
    }
  }

  @Test
  void aChargeThatArrivesBetweenTwoPagesNeitherShiftsNorRepeatsARow() throws Exception {
    String account = fresh();
    List<OnFile> before = ChargesOnFile.add(account, 20, FIRST, new Random(1));
    Answer first = list(account, "limit=5");
    ChargesOnFile.add(account, 3, FIRST.plus(Duration.ofDays(30)), new Random(2));
    List<String> seen = new ArrayList<>();
    first.body().get("charges").forEach(c -> seen.add(c.get("id").asString()));
    Answer rest = list(account, "limit=500&cursor=" + first.body().get("next").asString());
    rest.body().get("charges").forEach(c -> seen.add(c.get("id").asString()));
    assertThat(seen).isEqualTo(oracle(before, _ -> true));
  }

  @Test
  void aCursorOfAnotherFilterAccountOrListIsRefused() throws Exception {
    String account = fresh();
    String other = fresh();
    ChargesOnFile.add(account, 10, FIRST, new Random(3));
    ChargesOnFile.add(other, 10, FIRST, new Random(4));
    String cursor = list(account, "limit=2").body().get("next").asString();
    String rule =
        "cursor belongs to another account, list or filter: take the 'next' of a page that was asked for with the same ones";
    for (Answer answer :
        List.of(
            list(account, "class=HT_HD&cursor=" + cursor),
            list(account, "from=2026-03-01T00:00:00Z&cursor=" + cursor),
            list(other, "cursor=" + cursor))) {
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.body().get("detail").asString()).isEqualTo(rule);
    }
    assertThat(
            billing
                .get("/api/v1/accounts/" + account + "/postings?cursor=" + cursor, operator)
                .status())
        .isEqualTo(400);
    // The page size is not part of the filter, so a cursor may be used with another limit.
    assertThat(list(account, "limit=9&cursor=" + cursor).status()).isEqualTo(200);
    assertThat(list(account, "cursor=" + cursor + "A").status()).isEqualTo(400);
  }

  @Test
  void aTimeIsHalfOpenAndMayHaveAnyOffset() throws Exception {
    String account = fresh();
    List<OnFile> charges = ChargesOnFile.add(account, 30, FIRST, new Random(5));
    Instant bound = charges.get(7).start();
    List<String> later = all(account, "from=" + bound + "&", 500);
    List<String> earlier = all(account, "to=" + bound + "&", 500);
    assertThat(later).contains(Long.toString(charges.get(7).id()));
    assertThat(earlier).doesNotContain(Long.toString(charges.get(7).id()));
    assertThat(later.size() + earlier.size()).isEqualTo(charges.size());
    String local = bound.atOffset(java.time.ZoneOffset.ofHours(2)).toString();
    assertThat(all(account, "from=" + encoded(local) + "&", 500)).isEqualTo(later);
    String justAfter = bound.plusNanos(1).toString();
    assertThat(all(account, "from=" + justAfter + "&", 500))
        .doesNotContain(Long.toString(charges.get(7).id()));
  }

  @Test
  void theRefusalOfAFilterHasItsNameValueAndRule() throws Exception {
    String account = fresh();
    String[][] refusals = {
      {"class=HT%26HD", "class must be one of LT_LD, HT_LD, LT_HD, HT_HD, got 'HT&HD'"},
      {
        "state=done",
        "state must be one of provisional, corrected, final, adjusted, void, final_provisional, got 'done'"
      },
      {
        "from=yesterday",
        "from must be a time such as 2026-01-31T00:00:00Z (RFC 3339; write + as %2B), got 'yesterday'"
      },
      {
        "from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z",
        "from must be before to, got '2026-01-02T00:00:00Z' and '2026-01-02T00:00:00Z'"
      },
      {
        "to=%2B999999-01-01T00:00:00Z",
        "to must be from the years 1970 to 9999, got '+999999-01-01T00:00:00Z'"
      },
      {
        "form=2026-01-02T00:00:00Z",
        "unknown query parameter 'form'; known parameters: application, class, cursor, device, from, limit, link, passedBy, snapt, state, to"
      },
      {"passedBy=away", "passedBy must be one of quota, grace, beyond-quota, none, got 'away'"},
      {"limit=1&limit=2", "the query parameter 'limit' is given twice: send it once"}
    };
    for (String[] refusal : refusals) {
      Answer answer = list(account, refusal[0]);
      assertThat(answer.status()).as(refusal[0]).isEqualTo(400);
      assertThat(answer.problem()).isEqualTo("invalid-request");
      assertThat(answer.body().get("detail").asString()).startsWith(refusal[1]);
    }
  }

  @Test
  void aPageOfManyChargesReadsFewBlocksWithAnyFilter() throws Exception {
    String account = fresh();
    ChargesOnFile.addMany(account, 60_000, FIRST);
    String middle = FIRST.plus(Duration.ofMinutes(15_000)).toString();
    String[][] filters = {
      {"", "", "", "", "", "", "", ""},
      {"", middle, "", "", "", "", "", ""},
      {middle, "", "LT_LD", "", "", "", "", ""},
      {"", middle, "HT_HD", "", "", "", "", ""},
      {"", "", "", "adjusted", "", "", "", ""},
      {"", middle, "", "final", "", "", "", ""},
      {"", "", "", "", "rare", "", "", ""},
      {"", middle, "", "", "", "snapt-rare", "", ""},
      {"", middle, "", "", "", "", "rmnet0", ""},
      {"", middle, "", "", "", "", "", "none"}
    };
    try {
      for (String[] f : filters) {
        ChargeFilter filter =
            ChargeFilter.of(account, f[0], f[1], f[2], f[3], f[4], f[5], "", f[6], f[7]);
        JsonNode plan = explain(filter);
        long blocks =
            plan.get("Shared Hit Blocks").asLong() + plan.get("Shared Read Blocks").asLong();
        assertThat(plan.get("Actual Rows").asDouble()).as(filter.scope()).isGreaterThan(20);
        // All 60 000 charges with their intervals fill some 2500 blocks. The rule and the wallets
        // of
        // a row take up to 6.
        assertThat(blocks).as("%s: %s", filter.scope(), plan).isLessThan(600 + 51 * 6);
      }
    } finally {
      ChargesOnFile.remove(account);
    }
  }

  private static JsonNode explain(ChargeFilter filter) {
    Charges.Condition where = Charges.condition(filter, null);
    List<Object> values = new ArrayList<>(where.values());
    values.add(51);
    String plan =
        SharedDatabase.jdbc()
            .queryForObject(
                "explain (analyze, buffers, format json) "
                    + Charges.SELECT
                    + where.sql()
                    + where.order(),
                String.class,
                values.toArray());
    return JsonMapper.shared().readTree(plan).get(0).get("Plan");
  }
}
