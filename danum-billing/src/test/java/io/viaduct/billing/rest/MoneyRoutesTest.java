package io.viaduct.billing.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.mediation.UndecidedReports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/// Every route that moves money takes an idempotency key, and a repeated request moves none.
class MoneyRoutesTest {
  /// Routes that change something and move no money.
  private static final Set<String> MOVE_NOTHING =
      Set.of(
          "POST /api/v1/sessions",
          "POST /api/v1/sessions/codes",
          "POST /api/v1/sessions/identities",
          "PUT /api/v1/accounts/{id}/second-factor",
          "POST /api/v1/accounts/{id}/second-factor",
          "POST /api/v1/accounts/{id}/second-factor/end",
          "DELETE /api/v1/accounts/{id}/second-factor",
          "PUT /api/v1/accounts/{id}/identity",
          "DELETE /api/v1/accounts/{id}/identity",
          "POST /api/v1/accounts/imports",
          "POST /api/v1/snapts/{id}/drain-orders",
          "POST /api/v1/snapts/{id}/invitation",
          "DELETE /api/v1/sessions/current",
          "POST /api/v1/accounts",
          "PATCH /api/v1/accounts/{id}",
          "DELETE /api/v1/accounts/{id}",
          "PUT /api/v1/accounts/{id}/password",
          "PUT /api/v1/accounts/{id}/card",
          "DELETE /api/v1/accounts/{id}/card",
          "PUT /api/v1/accounts/{id}/sip-addresses/{address}",
          "DELETE /api/v1/accounts/{id}/sip-addresses/{address}",
          "DELETE /api/v1/accounts/{id}/devices/{device}",
          "PATCH /api/v1/accounts/{id}/devices/{device}",
          "POST /api/v1/accounts/{id}/password-resets",
          "POST /api/v1/accounts/{id}/erasure",
          "POST /api/v1/password-resets",
          "PUT /api/v1/accounts/{id}/credit/limit",
          "PUT /api/v1/accounts/{id}/credit/caps",
          "PUT /api/v1/accounts/{id}/credit/alert",
          "DELETE /api/v1/accounts/{id}/allowance",
          "POST /api/v1/reports/held/{id}/discard",
          "POST /api/v1/reports/discrepancies/{id}/investigate",
          "POST /api/v1/reports/discrepancies/{id}/close",
          "POST /api/v1/reratings/preview",
          "POST /api/v1/reratings/{id}/stop",
          "POST /api/v1/tariff-trials",
          "POST /api/v1/tariff-trials/{id}/stop",
          "POST /api/v1/rating/simulate",
          "POST /api/v1/tariffs",
          "POST /api/v1/tariffs/check",
          "POST /api/v1/tariffs/diff",
          "POST /api/v1/tariffs/simulate",
          "POST /api/v1/ledger/verifications",
          "POST /api/v1/tariff-drafts",
          "PUT /api/v1/tariff-drafts/{id}",
          "DELETE /api/v1/tariff-drafts/{id}",
          "PUT /api/v1/accounts/{id}/credit/block",
          "PUT /api/v1/snapts/{id}",
          "PUT /api/v1/snapts/{id}/invitation/certificate",
          "DELETE /api/v1/snapts/{id}",
          "POST /api/v1/owners/{id}/surcharges",
          "POST /api/v1/accounts/{id}/tokens",
          "DELETE /api/v1/accounts/{id}/tokens/{token}",
          "POST /api/v1/accounts/{id}/webhooks",
          "PUT /api/v1/accounts/{id}/webhooks/{webhook}",
          "DELETE /api/v1/accounts/{id}/webhooks/{webhook}",
          "POST /api/v1/accounts/{id}/webhooks/{webhook}/secret",
          "POST /api/v1/accounts/{id}/webhooks/{webhook}/deliveries/{delivery}/resend");

  /// The provider's event and a re-rating have an id of their own in place of the key; PaymentTest
  /// and ReratingTest repeat them.
  private static final Set<String> WITH_ID_OF_THEIR_OWN =
      Set.of(
          "POST /api/v1/payments/events",
          "PUT /api/v1/reratings/{id}",
          "POST /api/v1/reratings/{id}/resume");

  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;
  private static String operator;

  /// A request that moves money.
  ///
  /// @param route as the description of the interface has it
  /// @param isRequired true if the key is required
  /// @param path its path for an account
  /// @param body its body for an account
  /// @param other another body, which the same key must not be used for
  private record Moving(String route, boolean isRequired, Filled path, Filled body, Filled other) {
    @Override
    public String toString() {
      return route;
    }
  }

  private interface Filled {
    String of(String account) throws Exception;
  }

  private static Filled account(String rest) {
    return account -> "/api/v1/accounts/" + account + rest;
  }

  static Stream<Moving> moving() {
    return Stream.of(
        new Moving(
            "POST /api/v1/accounts/{id}/top-ups",
            true,
            account("/top-ups"),
            _ -> "{\"amountMicrodenarii\":\"5\",\"reference\":\"a\"}",
            _ -> "{\"amountMicrodenarii\":\"6\",\"reference\":\"a\"}"),
        new Moving(
            "POST /api/v1/accounts/{id}/credits",
            true,
            account("/credits"),
            _ -> "{\"amountMicrodenarii\":\"5\",\"reason\":\"a\"}",
            _ -> "{\"amountMicrodenarii\":\"5\",\"reason\":\"b\"}"),
        new Moving(
            "POST /api/v1/accounts/{id}/grants",
            true,
            account("/grants"),
            _ -> grant("5"),
            _ -> grant("6")),
        new Moving(
            "PUT /api/v1/accounts/{id}/allowance",
            false,
            account("/allowance"),
            _ -> "{\"amountMicrodenarii\":\"5\"}",
            _ -> "{\"amountMicrodenarii\":\"6\"}"),
        new Moving(
            "POST /api/v1/reports/held/{id}/release",
            false,
            account -> "/api/v1/reports/held/" + UndecidedReports.held(account) + "/release",
            _ -> "{\"reason\":\"a\"}",
            _ -> "{\"reason\":\"b\"}"),
        new Moving(
            "POST /api/v1/reports/unsigned/{id}/accept",
            false,
            account -> "/api/v1/reports/unsigned/" + UndecidedReports.unsigned(account) + "/accept",
            _ -> "{\"reason\":\"a\"}",
            _ -> "{\"reason\":\"b\"}"),
        new Moving(
            "POST /api/v1/reports/unsigned/{id}/void",
            false,
            account -> "/api/v1/reports/unsigned/" + UndecidedReports.unsigned(account) + "/void",
            _ -> "{\"reason\":\"a\"}",
            _ -> "{\"reason\":\"b\"}"),
        new Moving(
            "POST /api/v1/vouchers",
            true,
            _ -> "/api/v1/vouchers",
            _ -> vouchers(1),
            _ -> vouchers(2)),
        new Moving(
            "POST /api/v1/vouchers/{id}/return",
            false,
            _ -> "/api/v1/vouchers/" + madeVouchers().at("/batch/id").asString() + "/return",
            _ -> "{\"reason\":\"a\"}",
            _ -> "{\"reason\":\"b\"}"),
        new Moving(
            "POST /api/v1/accounts/{id}/redemptions",
            false,
            account("/redemptions"),
            _ -> code("0"),
            _ -> code("1")),
        // starts what the provider's event will post
        new Moving(
            "POST /api/v1/accounts/{id}/payments",
            true,
            account("/payments"),
            _ -> "{\"amountMicrodenarii\":\"5000000\"}",
            _ -> "{\"amountMicrodenarii\":\"6000000\"}"));
  }

  private static String vouchers(int count) {
    return "{\"count\":%d,\"amountMicrodenarii\":\"5\",\"expiresAt\":\"2030-01-01T00:00:00Z\"}"
        .formatted(count);
  }

  private static JsonNode madeVouchers() throws Exception {
    return billing
        .call(
            "POST",
            "/api/v1/vouchers",
            operator,
            vouchers(2),
            Map.of(PostedMoney.HEADER, UUID.randomUUID().toString()))
        .body();
  }

  private static final Map<String, String> CODES = new ConcurrentHashMap<>();

  // The same code each time that it is asked for.
  private static String code(String name) {
    return CODES.computeIfAbsent(
        name,
        _ -> {
          try {
            return "{\"code\":\"%s\"}".formatted(madeVouchers().at("/vouchers/0/code").asString());
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static String grant(String amount) {
    return "{\"amountMicrodenarii\":\"%s\",\"expiresAt\":\"%s\",\"reason\":\"a\"}"
        .formatted(amount, "2099-01-01T00:00:00Z");
  }

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    CLOCK.advance(Duration.ofHours(25)); // a report of the day before is due for a decision
    Path secret = Files.writeString(folder.resolve("provider.secret"), "secret");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    billing =
        RunningBilling.start(
            folder,
            CLOCK,
            "payments: {page: 'http://127.0.0.1/pay', secret-file: %s}".formatted(secret));
    operator = billing.operator();
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @Test
  void everyRouteThatMovesMoneyTakesAKeyAndEveryOtherOneIsKnownToMoveNone() throws Exception {
    Set<String> withKey = new TreeSet<>();
    Set<String> without = new TreeSet<>();
    Set<String> required = new TreeSet<>();
    billing
        .get("/v3/api-docs", null)
        .body()
        .get("paths")
        .forEachEntry((path, operations) ->
            operations.forEachEntry((method, operation) -> {
              String route = method.toUpperCase(java.util.Locale.ROOT) + " " + path;
              if (!method.equals("get")) {
                without.add(route);
              }
              for (var parameter : operation.path("parameters")) {
                if (parameter.get("name").asString().equals(PostedMoney.HEADER)) {
                  without.remove(route);
                  withKey.add(route);
                  if (parameter.path("required").asBoolean()) {
                    required.add(route);
                  }
                }
              }
            }));
    assertThat(without)
        .as("a new route: give it an Idempotency-Key if it moves money, else name it here")
        .isEqualTo(
            new TreeSet<>(
                Stream.concat(MOVE_NOTHING.stream(), WITH_ID_OF_THEIR_OWN.stream()).toList()));
    assertThat(withKey)
        .as("a new route with a key: this test must repeat it, too")
        .isEqualTo(new TreeSet<>(moving().map(Moving::route).toList()));
    assertThat(required)
        .isEqualTo(new TreeSet<>(moving().filter(Moving::isRequired).map(Moving::route).toList()));
  }

  @ParameterizedTest
  @MethodSource("moving")
  void aRepeatedRequestIsAnsweredAlikeAndMovesNothingMore(Moving moving) throws Exception {
    String account = "alice-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, account);
    String path = moving.path().of(account);
    String key = UUID.randomUUID().toString();
    String method = moving.route().split(" ")[0];
    Map<String, String> once = Map.of(PostedMoney.HEADER, key);

    Answer first = billing.call(method, path, operator, moving.body().of(account), once);
    assertThat(first.status()).as(first.raw().body()).isBetween(200, 201);
    long moved = transactions(account);
    long owed = owed();
    Answer again = billing.call(method, path, operator, moving.body().of(account), once);
    assertThat(again.status()).as(again.raw().body()).isEqualTo(200);
    if (moving.route().equals("POST /api/v1/vouchers")) {
      assertThat(again.body().get("batch")).isEqualTo(first.body().get("batch"));
    } else {
      assertThat(again.body()).isEqualTo(first.body());
    }
    assertThat(transactions(account)).isEqualTo(moved);
    assertThat(owed()).isEqualTo(owed);

    Answer other = billing.call(method, path, operator, moving.other().of(account), once);
    assertThat(other.problem()).isEqualTo("idempotency-key-reused");
    assertThat(transactions(account)).isEqualTo(moved);
    Answer wrong =
        billing.call(
            method,
            path,
            operator,
            moving.body().of(account),
            Map.of(PostedMoney.HEADER, "x".repeat(129)));
    assertThat(wrong.body().get("detail").asString()).contains("1 to 128 printable characters");
    if (moving.isRequired()) {
      Answer missing = billing.call(method, path, operator, moving.body().of(account), Map.of());
      assertThat(missing.status()).isEqualTo(400);
      assertThat(missing.body().get("detail").asString()).contains("Idempotency-Key");
    }
  }

  // Settlement goes on meanwhile, and moves nothing of the user's.
  private static long transactions(String account) {
    return SharedDatabase.jdbc()
        .queryForObject(
            "select count(distinct transaction_id) from posting where account = ?",
            Long.class,
            "USER:" + account);
  }

  private static long owed() {
    return SharedDatabase.jdbc()
        .queryForObject(
            "select coalesce(sum(amount_microdenarii), 0) from posting where account = 'VOUCHERS'",
            Long.class);
  }

  @Test
  void aDelayedRepetitionDoesNotUndoALaterAllowance() throws Exception {
    String account = "alice-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, account);
    String path = "/api/v1/accounts/" + account + "/allowance";
    Map<String, String> first = Map.of(PostedMoney.HEADER, UUID.randomUUID().toString());
    billing.call("PUT", path, operator, "{\"amountMicrodenarii\":\"5\"}", first);
    billing.call(
        "PUT", path, operator, "{\"amountMicrodenarii\":\"9\"}", billing.ifMatch(path, operator));
    billing.call("PUT", path, operator, "{\"amountMicrodenarii\":\"5\"}", first);
    assertThat(
            billing
                .get("/api/v1/accounts/" + account + "/wallets", operator)
                .body()
                .get("allowanceMicrodenarii")
                .asString())
        .isEqualTo("9");
  }

  @Test
  void listsThatGrowArePagedAlongTheirCursors() throws Exception {
    String account = "alice-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, account);
    for (int i = 1; i <= 5; i++) {
      billing.call(
          "POST",
          "/api/v1/accounts/" + account + "/grants",
          operator,
          grant(Integer.toString(i)),
          Map.of(PostedMoney.HEADER, UUID.randomUUID().toString()));
      Answer stored =
          billing.post(
              "/api/v1/owners/" + account + "/surcharges",
              operator,
              "{\"effectiveFrom\":\"%s\",\"surcharge\":{\"denarii-per-megabyte\":{\"HT_LD\":%d}}}"
                  .formatted(CLOCK.instant(), i));
      assertThat(stored.status()).as(stored.raw().body()).isEqualTo(201);
    }
    assertThat(
            billing.paged(
                "/api/v1/accounts/" + account + "/wallets",
                operator,
                "wallets",
                "amountMicrodenarii"))
        .containsExactly("1", "2", "3", "4", "5");
    assertThat(
            billing.paged(
                "/api/v1/owners/" + account + "/surcharges", operator, "surcharges", "version"))
        .containsExactly("1", "2", "3", "4", "5");
    int tariffs = billing.get("/api/v1/tariffs", operator).body().get("tariffs").size();
    assertThat(billing.paged("/api/v1/tariffs", operator, "tariffs", "version")).hasSize(tariffs);
    Answer foreign = billing.get("/api/v1/tariffs?cursor=" + "AAAAAAAAAAAAAAAAAAAAAA", operator);
    assertThat(foreign.body().get("detail").asString()).contains("cursor belongs to another");
  }

  @Test
  void anAccountIsChangedOnlyInTheVersionThatTheOperatorKnows() throws Exception {
    String account = "alice-" + UUID.randomUUID().toString().substring(0, 8);
    billing.openAccount(operator, account);
    String path = "/api/v1/accounts/" + account;
    String tag = tag(billing.get(path, operator));
    Answer unseen = billing.call("PATCH", path, operator, "{\"displayName\":\"A\"}", Map.of());
    assertThat(unseen.status()).isEqualTo(428);
    assertThat(unseen.problem()).isEqualTo("version-required");
    Answer first =
        billing.call("PATCH", path, operator, "{\"displayName\":\"A\"}", Map.of("If-Match", tag));
    assertThat(first.status()).as(first.raw().body()).isEqualTo(200);
    assertThat(tag(first)).isNotEqualTo(tag);
    Answer late =
        billing.call("PATCH", path, operator, "{\"displayName\":\"B\"}", Map.of("If-Match", tag));
    assertThat(late.status()).isEqualTo(412);
    assertThat(late.body().get("detail").asString()).contains("has changed since: read it again");
    assertThat(billing.get(path, operator).body().get("displayName").asString()).isEqualTo("A");
    Answer same =
        billing.call(
            "PATCH", path, operator, "{\"displayName\":\"A\"}", Map.of("If-Match", tag(first)));
    assertThat(tag(same)).as("nothing changed").isEqualTo(tag(first));
  }

  private static String tag(Answer answer) {
    return answer.raw().headers().firstValue("ETag").orElseThrow();
  }
}
