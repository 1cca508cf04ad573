package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

/// The operators' list of accounts, compared with a slow oracle, and its time with 10^5 accounts.
class AccountListTest {
  private static final JdbcTemplate JDBC = SharedDatabase.jdbc();
  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;
  private static String operator;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK, "verification-period: 1h");
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  // Billing looks at every account whose credit it is told of, and mends its state.
  private static void quietly(Consumer<JdbcTemplate> change) {
    SharedDatabase.asOwner(owner -> {
      List<String> tables = List.of("account", "credit_account");
      tables.forEach(table -> owner.execute("alter table " + table + " disable trigger user"));
      change.accept(owner);
      tables.forEach(table -> owner.execute("alter table " + table + " enable trigger user"));
    });
  }

  private record Known(
      String id,
      String name,
      String state,
      String credit,
      boolean blocked,
      long balance,
      long today) {}

  /// An order of the list, as a word of the interface and as the oracle sorts.
  private record Sorted(String word, Comparator<Known> order) {}

  private static final List<Sorted> ORDERS =
      List.of(
          new Sorted("id", Comparator.comparing(_ -> 0)),
          new Sorted("balance", Comparator.comparing(Known::balance)),
          new Sorted("highest-balance", Comparator.comparing(Known::balance).reversed()),
          new Sorted("spent-today", Comparator.comparing(Known::today).reversed()));

  private static Known insert(String id, Random random) {
    String name =
        List.of("Ada King", "ada lovelace", "Zoë Ångström", "O'Brien-Smith", "", "' & | !:*")
            .get(random.nextInt(6));
    String state = List.of("active", "active", "suspended").get(random.nextInt(3));
    String credit = List.of("SUFFICIENT", "LOW", "EXHAUSTED").get(random.nextInt(3));
    Known known =
        new Known(
            id,
            name,
            state,
            credit.toLowerCase(Locale.ROOT),
            random.nextInt(4) == 0,
            random.nextInt(7) - 3,
            random.nextInt(4));
    quietly(owner -> {
      owner.update(
          "insert into account (id, display_name, role, password_hash, created_at, state)"
              + " values (?, ?, 'user', 'x', now(), ?)",
          id,
          name,
          state);
      owner.update(
          "insert into credit_account (account, state, blocked, balance_microdenarii) values (?, ?, ?, ?)",
          id,
          credit,
          known.blocked(),
          known.balance());
    });
    if (known.today() > 0) {
      JDBC.update(
          "insert into spending values (?, ?, ?)",
          id,
          LocalDate.ofInstant(CLOCK.instant(), ZoneOffset.UTC),
          known.today());
    }
    return known;
  }

  // Other tests verify the whole ledger: balances and spending must not stay. A deletion locks the
  // rows that refer to the account, also those that are only ever added.
  private static void remove(String prefix) {
    quietly(owner -> {
      List<String> locked =
          owner.queryForList(
              "select distinct conrelid::regclass::text from pg_constraint where contype = 'f'"
                  + " and confrelid in ('account'::regclass, 'credit_account'::regclass)"
                  + " and not has_any_column_privilege(conrelid, 'update')",
              String.class);
      locked.forEach(table -> owner.execute("grant update on " + table + " to current_user"));
      owner.update("delete from spending where account like ?", prefix + "%");
      owner.update("delete from credit_account where account like ?", prefix + "%");
      owner.update("delete from account where id like ?", prefix + "%");
      locked.forEach(table -> owner.execute("revoke update on " + table + " from current_user"));
    });
  }

  private static List<String> all(String query, int limit) throws Exception {
    List<String> ids = new ArrayList<>();
    String cursor = "";
    do {
      Answer page =
          billing.get(
              "/api/v1/accounts?" + query + "&limit=" + limit + "&cursor=" + cursor, operator);
      assertThat(page.status()).as(page.raw().body()).isEqualTo(200);
      page.body().get("accounts").forEach(a -> ids.add(a.get("id").asString()));
      cursor = page.body().path("next").asString("");
    } while (!cursor.isEmpty());
    return ids;
  }

  private static boolean finds(String search, Known known) {
    String wanted = search.toLowerCase(Locale.ROOT);
    List<String> words =
        Arrays.stream(wanted.split("[^\\p{L}\\p{N}]+")).filter(w -> !w.isEmpty()).toList();
    List<String> named =
        Arrays.asList(known.name().toLowerCase(Locale.ROOT).split("[^\\p{L}\\p{N}]+"));
    return known.id().toLowerCase(Locale.ROOT).startsWith(wanted)
        || !words.isEmpty()
            && words.stream().allMatch(w -> named.stream().anyMatch(n -> n.startsWith(w)));
  }

  @Test
  void searchStateAndOrderGiveThePagesOfASlowOracle() throws Exception {
    String prefix = "list" + UUID.randomUUID().toString().substring(0, 6) + "-";
    long seed = prefix.hashCode();
    Random random = new Random(seed);
    List<Known> known = new ArrayList<>();
    try {
      for (int i = 0; i < 120; i++) {
        known.add(insert(prefix + (random.nextBoolean() ? "a" : "B") + i, random));
      }
      Map<String, Predicate<Known>> states =
          Map.of(
              "", _ -> true,
              "active", k -> k.state().equals("active"),
              "suspended", k -> k.state().equals("suspended"),
              "blocked", Known::blocked,
              "low", k -> k.credit().equals("low"),
              "exhausted", k -> k.credit().equals("exhausted"),
              "below-zero", k -> k.balance() < 0,
              "cut", _ -> false);
      List<String> searches = List.of(prefix, prefix.toUpperCase(Locale.ROOT) + "b1", prefix + "a");
      for (int round = 0; round < 40; round++) {
        String search = searches.get(random.nextInt(searches.size()));
        String state = List.copyOf(states.keySet()).get(random.nextInt(states.size()));
        Sorted sorted = ORDERS.get(random.nextInt(ORDERS.size()));
        String query = "search=" + encoded(search) + "&state=" + state + "&sort=" + sorted.word();
        assertThat(all(query, 1 + random.nextInt(50)))
            .as("seed %d, %s", seed, query)
            .isEqualTo(
                known.stream()
                    .filter(k -> finds(search, k))
                    .filter(states.getOrDefault(state, _ -> false))
                    .sorted(sorted.order().thenComparing(Known::id))
                    .map(Known::id)
                    .toList());
      }
      for (String search : List.of("ada", "ADA k", "ång", "smith", "brien o", "' & |", "zzzz")) {
        List<String> found = new ArrayList<>(all("search=" + encoded(search), 100));
        found.removeIf(id -> !id.startsWith(prefix));
        assertThat(found)
            .as("seed %d, %s", seed, search)
            .isEqualTo(
                known.stream().filter(k -> finds(search, k)).map(Known::id).sorted().toList());
      }
    } finally {
      remove(prefix);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void aRowShowsBalanceSpendingAndReservations() throws Exception {
    String id = "row" + UUID.randomUUID().toString().substring(0, 8);
    try {
      insert(id, new Random(4));
      LocalDate today = LocalDate.ofInstant(CLOCK.instant(), ZoneOffset.UTC);
      JDBC.update("delete from spending where account = ?", id);
      JDBC.update("insert into spending values (?, ?, 30)", id, today);
      JDBC.update("insert into spending values (?, ?, 7)", id, today.minusMonths(1));
      if (today.getDayOfMonth() > 1) {
        JDBC.update("insert into spending values (?, ?, 12)", id, today.withDayOfMonth(1));
      }
      var row = billing.get("/api/v1/accounts?search=" + id, operator).body().at("/accounts/0");
      assertThat(row.get("spentTodayMicrodenarii").asString()).isEqualTo("30");
      assertThat(row.get("spentThisMonthMicrodenarii").asString())
          .isEqualTo(today.getDayOfMonth() > 1 ? "42" : "30");
      assertThat(row.get("reservedMicrodenarii").asString()).isEqualTo("0");
      assertThat(row.get("limitMicrodenarii").asString()).isEqualTo("0");
    } finally {
      remove(id);
    }
  }

  @Test
  void wrongFiltersAndCursorsAreRefusedWithValueAndRule() throws Exception {
    for (String[] wrong :
        new String[][] {
          {"state=gone", "state must be one of active, suspended"},
          {"sort=name", "sort must be one of id, balance"},
          {"search=" + "x".repeat(65), "at most 64 characters"},
          {"cursor=alice", "cursor must be"},
          {"cursor=AAAAAAAAAAAAAAAAAAAAAGE", "cursor belongs to another"},
        }) {
      Answer answer = billing.get("/api/v1/accounts?" + wrong[0], operator);
      assertThat(answer.status()).as(wrong[0]).isEqualTo(400);
      assertThat(answer.body().get("detail").asString()).contains(wrong[1]);
    }
  }

  @Test
  void everyOrderAndFilterAnswersAmongTenThousandAccounts() throws Exception {
    String prefix = "many" + UUID.randomUUID().toString().substring(0, 6) + "-";
    try {
      quietly(owner -> {
        owner.update(
            "insert into account (id, display_name, role, password_hash, created_at, state)"
                + " select ? || n, 'Name' || n || ' Family' || n % 1000, 'user', 'x', now(),"
                + " case when n % 500 = 0 then 'suspended' else 'active' end from generate_series(1, 10000) n",
            prefix);
        owner.update(
            "insert into credit_account (account, balance_microdenarii, blocked)"
                + " select id, hashtext(id), hashtext(id) % 900 = 0 from account where id like ?",
            prefix + "%");
      });
      JDBC.update(
          "insert into spending select account, ?::date - d, abs(hashtext(account)) % 1000000"
              + " from credit_account, generate_series(0, 2) d where account like ?",
          java.sql.Date.valueOf(LocalDate.ofInstant(CLOCK.instant(), ZoneOffset.UTC)),
          prefix + "%");
      JDBC.execute("analyze account");
      JDBC.execute("analyze credit_account");
      JDBC.execute("analyze spending");
      for (String query :
          List.of(
              "sort=id",
              "sort=balance",
              "sort=highest-balance",
              "sort=spent-today",
              "state=blocked&sort=balance",
              "state=below-zero",
              "state=suspended&sort=spent-today",
              "search=" + prefix + "777",
              "search=family777",
              "search=family777&sort=spent-today",
              "search=" + prefix + "&sort=balance")) {
        Answer page = billing.get("/api/v1/accounts?" + query, operator);
        assertThat(page.body().get("accounts").size()).as(query).isPositive();
      }
    } finally {
      remove(prefix);
    }
  }
}
