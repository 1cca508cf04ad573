package io.viaduct.billing.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.RunningBilling.Answer;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.FailureAction;
import io.viaduct.usage.v1.GrantedUnits;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.ServiceClass;
import io.viaduct.usage.v1.UsageReport;
import io.viaduct.usage.v1.UsedUnits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// Credit control on a running billing: real streams with certificates, real PostgreSQL.
class CreditControlTest {
  private static final long DENARIUS = 1_000_000;
  private static final ManualClock CLOCK = new ManualClock();

  private static RunningBilling billing;
  private static String operator;

  private CreditBridge bridge;
  private final String account = "credit-" + UUID.randomUUID().toString().substring(0, 8);

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @BeforeEach
  void open() throws Exception {
    operator = billing.operator(); // a test moves the clock beyond the end of a log-in
    bridge = new CreditBridge(billing, "ims-bridge");
    billing.openAccount(operator, account);
  }

  @AfterEach
  void close() throws Exception {
    bridge.close();
  }

  private void topUp(long microdenarii) throws Exception {
    Answer answer =
        billing.call(
            "POST",
            "/api/v1/accounts/" + account + "/top-ups",
            operator,
            "{\"amountMicrodenarii\":\"%d\",\"reference\":\"cash\"}".formatted(microdenarii),
            Map.of("Idempotency-Key", UUID.randomUUID().toString()));
    assertThat(answer.status()).isEqualTo(201);
  }

  private MeteredSession session(String application, ServiceClass serviceClass) {
    return new MeteredSession("snapt-a", account, application, serviceClass);
  }

  private MeteredSession ssh() {
    return session("ssh", ServiceClass.LT_LD);
  }

  private JsonNode credit() throws Exception {
    return billing.get("/api/v1/accounts/" + account + "/credit", operator).body();
  }

  private long reserved() throws Exception {
    return credit().get("reservedMicrodenarii").asLong();
  }

  private long available() throws Exception {
    return credit().get("availableMicrodenarii").asLong();
  }

  private Answer put(String path, String version, String body) throws Exception {
    return billing.call(
        "PUT",
        "/api/v1/accounts/" + account + "/credit/" + path,
        operator,
        body,
        Map.of("If-Match", version));
  }

  private Answer suspend(boolean isSuspended) throws Exception {
    return billing.change(
        "/api/v1/accounts/" + account,
        operator,
        "{\"state\":\"%s\"}".formatted(isSuspended ? "suspended" : "active"));
  }

  @Test
  void aGrantFollowsTheRateAndReservesTheHighestPrice() throws Exception {
    topUp(1000 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    CreditAnswer first = bridge.ask(web.request());
    assertThat(first.getResult()).isEqualTo(CreditResult.SUCCESS);
    assertThat(first.getGranted(0).getTotalBytes()).isEqualTo(65_536);
    assertThat(first.getGranted(0).getValidityMs()).isEqualTo(5_000);
    assertThat(first.getGranted(0).getFinal()).isFalse();
    assertThat(first.getLowCredit()).isFalse();
    assertThat(first.getFailureList())
        .hasSize(4)
        .allMatch(f -> f.getAction() == FailureAction.CONTINUE);
    // Two seconds of 2.5 MB/s, and 0.6 den/s for a flow of 6 s at most: one second used, five
    // valid.
    web.carry(2_500_000, 1000);
    CreditAnswer next = bridge.ask(web.request());
    assertThat(next.getGranted(0).getTotalBytes()).isEqualTo(7_500_000);
    assertThat(reserved()).isBetween(3_600_000L, 3_800_000L);
    assertThat(next.getAvailableMicrodenarii()).isEqualTo(1000 * DENARIUS - reserved());
    assertThat(
            billing
                .get("/api/v1/accounts/" + account + "/balance", operator)
                .body()
                .get("availableMicrodenarii")
                .asLong())
        .isEqualTo(1000 * DENARIUS - reserved());
  }

  @Test
  void aCallGoesOnForAMinuteAtACapAndItsChargeSaysWhy() throws Exception {
    topUp(1000 * DENARIUS);
    MeteredSession call = session("skype-voice", ServiceClass.HT_LD);
    bridge.ask(call.request());
    call.carry(10_000, 1_000);
    CreditAnswer answer = bridge.ask(call.request());
    long reserved = reserved();
    assertThat(reserved).as("a minute at 1.2 den/s").isGreaterThan(72 * DENARIUS);
    String version = billing.tag("/api/v1/accounts/" + account + "/credit", operator);
    assertThat(put("caps", version, "{\"dayMicrodenarii\":\"%d\"}".formatted(reserved)).status())
        .isEqualTo(200);
    long ms = 0;
    while (answer.getGranted(0).getTotalBytes() > call.bytes()) {
      ms += answer.getGranted(0).getValidityMs();
      CLOCK.advance(Duration.ofMillis(answer.getGranted(0).getValidityMs()));
      call.useUp(answer);
      answer = bridge.ask(call.request());
      assertThat(reserved()).as("after %d ms", ms).isLessThanOrEqualTo(reserved);
    }
    assertThat(ms).as("its quota, and a minute or the bytes of one").isBetween(40_000L, 65_000L);
    assertThat(answer.getResult()).isEqualTo(CreditResult.SPENDING_CAP_REACHED);
    bridge.submit(call.report(CLOCK.instant(), 100, false), CLOCK.instant());
    String charge =
        billing
            .get("/api/v1/accounts/" + account + "/charges", operator)
            .body()
            .at("/charges/0/id")
            .asString();
    assertThat(
            billing
                .get("/api/v1/charges/" + charge + "/payment", operator)
                .body()
                .get("passedBy")
                .asString())
        .isEqualTo("grace");
  }

  @Test
  void aUseStaysReservedUntilItsReportIsPostedAndThenOnlyItsRealPriceIsGone() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(2_000_000, 4_000);
    bridge.ask(web.request(CreditRequestType.TERMINATION));
    assertThat(reserved()).as("4 s at 0.6 den/s").isBetween(2_400_000L, 2_460_000L);
    var report = web.report(CLOCK.instant(), 100, true);
    assertThat(bridge.submit(report, CLOCK.instant())).isEqualTo(ReportVerdict.POSTED);
    assertThat(reserved()).isZero();
    long balance = credit().get("balanceMicrodenarii").asLong();
    assertThat(balance).isBetween(100 * DENARIUS - 2_460_000, 100 * DENARIUS - 1);
    assertThat(available()).isEqualTo(balance);
    assertThat(bridge.submit(report, CLOCK.instant())).isEqualTo(ReportVerdict.ALREADY_POSTED);
    assertThat(available()).isEqualTo(balance);
  }

  private JsonNode running() throws Exception {
    return billing.get("/api/v1/accounts/" + account + "/running", operator).body().get("running");
  }

  @Test
  void anApplicationWhoseFlowsHaveEndedReleasesItsGrantAndGetsNoOther() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    assertThat(reserved()).isPositive();
    CreditRequest.Builder ended = web.request().toBuilder();
    ended.getUsedBuilder(0).setFlows(0);
    CreditAnswer answer = bridge.ask(ended.build());
    assertThat(answer.getGranted(0).getTotalBytes()).isZero();
    assertThat(answer.getGranted(0).getFinal()).isFalse();
    assertThat(reserved()).isZero();
  }

  @Test
  void anApplicationThatWasCutTakesNoCreditAfterItsFlowsHaveEnded() throws Exception {
    topUp(DENARIUS / 5);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(2_000_000, 300);
    CreditAnswer cut = bridge.ask(web.request());
    assertThat(cut.getGranted(0).getFinal()).isTrue();
    CreditRequest.Builder ended = web.request().toBuilder();
    ended.getUsedBuilder(0).setFlows(0);
    CreditAnswer answer = bridge.ask(ended.build());
    assertThat(answer.getGranted(0).getTotalBytes()).isEqualTo(web.bytes());
    assertThat(answer.getGranted(0).getFinal()).isFalse();
  }

  @Test
  void theFastestTrafficIsFirstHoweverItsRateIsKnown() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession reported = session("web", ServiceClass.HT_HD);
    reported.carry(6_000_000, 60_000);
    bridge.submit(reported.report(CLOCK.instant(), 100, false), CLOCK.instant());
    MeteredSession metered = session("mail", ServiceClass.HT_HD);
    bridge.ask(metered.request());
    metered.carry(50_000, 1_000);
    bridge.ask(metered.request());
    assertThat(running())
        .extracting(row -> row.get("application").asString())
        .containsExactly("web", "mail");
  }

  @Test
  void whatRunsNowHasItsPresentRateAndTheCostOfItsLastReport() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(500_000, 60_000);
    web.link = "wlan0";
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    web.carry(2_000_000, 4_000);
    bridge.ask(web.request());
    JsonNode row = running().get(0);
    assertThat(running()).hasSize(1);
    assertThat(row.get("application").asString()).isEqualTo("web");
    assertThat(row.get("bitPerSecond").asDouble()).isEqualTo(4_000_000.0);
    assertThat(row.get("delayMs").asDouble()).isEqualTo(100.0);
    assertThat(row.get("throughputKbitPerSecond").asDouble()).isEqualTo(8 * 500_000 / 60_000.0);
    JsonNode charge =
        billing
            .get("/api/v1/accounts/" + account + "/charges", operator)
            .body()
            .get("charges")
            .get(0);
    assertThat(row.get("perMinuteMicrodenarii")).isEqualTo(charge.get("netMicrodenarii"));
    assertThat(row.get("device")).isEqualTo(charge.get("device"));
    assertThat(row.get("links")).extracting(JsonNode::asString).containsExactly("wlan0");

    bridge.submit(web.report(CLOCK.instant(), 100, true), CLOCK.instant());
    bridge.ask(web.request(CreditRequestType.TERMINATION));
    assertThat(running()).as("an ended session").isEmpty();
  }

  @Test
  void aSessionThatHasGoneWithoutAWordRunsNoLonger() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(20_000, 1_000);
    bridge.ask(web.request());
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    assertThat(running()).hasSize(1);
    CLOCK.advance(Duration.ofSeconds(25)); // its last quota lasted 5 s, and 15 s for late requests
    assertThat(running()).isEmpty();
  }

  @Test
  void flowsThatHaveEndedRunNoLongerThoughTheirReportIsNew() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(20_000, 60_000);
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    assertThat(running()).hasSize(1);
    CreditRequest.Builder ended = web.request().toBuilder();
    ended.getUsedBuilder(0).setFlows(0);
    bridge.ask(ended.build());
    assertThat(running()).isEmpty();
  }

  @Test
  void trafficThatIsReportedWhileNoQuotaCanBeAskedForRuns() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    CLOCK.advance(Duration.ofSeconds(90)); // the way to billing's credit control was cut
    web.carry(20_000, 60_000);
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    assertThat(running()).hasSize(1);
    CLOCK.advance(Duration.ofSeconds(80)); // the next report should have come
    assertThat(running()).isEmpty();
  }

  @Test
  void aReportThatOvertakesTheRequestCoversItsUseOnce() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(50_000, 1_000);
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    long before = reserved();
    bridge.ask(web.request(CreditRequestType.TERMINATION));
    assertThat(before).as("the rest of the grant").isPositive();
    assertThat(reserved()).isZero();
  }

  @Test
  void aRepeatedRequestChangesNothing() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    CreditRequest first = web.request();
    bridge.ask(first);
    web.carry(30_000, 1_000);
    CreditAnswer lost = bridge.ask(web.request());
    long reserved = reserved();
    CreditAnswer again = bridge.ask(web.request());
    assertThat(again.getGrantedList()).isEqualTo(lost.getGrantedList());
    assertThat(reserved()).isEqualTo(reserved);
    CreditAnswer old = bridge.ask(first);
    assertThat(old.getResult()).isEqualTo(CreditResult.REQUEST_REFUSED);
    assertThat(old.getReason()).contains("number must be above 3");
    assertThat(reserved()).isEqualTo(reserved);
  }

  @Test
  void nearZeroTheGrantShrinksAndIsFinalAndAtZeroThereIsNone() throws Exception {
    topUp(DENARIUS / 2);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    web.carry(0, 1);
    GrantedUnits last = bridge.ask(web.request()).getGranted(0);
    assertThat(last.getFinal()).isTrue();
    assertThat(last.getValidityMs()).as("0.5 den at 0.6 den/s").isBetween(820L, 833L);
    CreditAnswer second = bridge.ask(ssh().request());
    assertThat(second.getResult()).isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
    assertThat(second.getGranted(0).getTotalBytes()).isZero();
    assertThat(second.getLowCredit()).isTrue();
    assertThat(available()).isBetween(0L, 1_000L);
  }

  @Test
  void parallelSessionsNeverSpendMoreThanThereIs() throws Exception {
    long seed = System.nanoTime();
    topUp(10 * DENARIUS);
    List<Callable<Long>> work = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      Random random = new Random(seed + i);
      work.add(() -> spend(ssh(), random));
    }
    long carried = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(40)) {
      for (Future<Long> each : threads.invokeAll(work)) {
        carried += each.get();
      }
    }
    JsonNode after = credit();
    assertThat(carried).as("bytes, seed %d", seed).isPositive();
    assertThat(after.get("reservedMicrodenarii").asLong()).as("seed %d", seed).isZero();
    assertThat(after.get("balanceMicrodenarii").asLong())
        .as("seed %d", seed)
        .isBetween(0L, 8 * DENARIUS);
  }

  // Uses each quota to its last millisecond at the rate of the dearest second, and reports late.
  private long spend(MeteredSession session, Random random) throws Exception {
    for (int i = 0; i < 20; i++) {
      CreditAnswer answer = bridge.ask(session.request());
      assertThat(answer.getAvailableMicrodenarii()).isGreaterThanOrEqualTo(0);
      for (GrantedUnits quota : answer.getGrantedList()) {
        long bytes =
            Math.min(quota.getTotalBytes() - session.bytes(), 5 * quota.getValidityMs() / 4);
        if (bytes > 0) {
          session.carry(bytes, quota.getValidityMs());
        }
      }
      if (random.nextInt(3) == 0) {
        bridge.submit(session.report(CLOCK.instant(), 200, false), CLOCK.instant());
      }
    }
    bridge.ask(session.request(CreditRequestType.TERMINATION));
    bridge.submit(session.report(CLOCK.instant(), 200, true), CLOCK.instant());
    return session.bytes();
  }

  @Test
  void aTopUpReachesTheCutSessionWithinASecond() throws Exception {
    MeteredSession web = session("web", ServiceClass.HT_HD);
    assertThat(bridge.ask(web.request()).getResult()).isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
    for (int i = 0; i < 20; i++) {
      bridge.forgetPushes(web.id);
      long before = System.nanoTime();
      topUp(10 * DENARIUS);
      CreditAnswer pushed = bridge.pushed(web.id, CreditResult.SUCCESS);
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(1));
      assertThat(pushed.getGranted(0).getTotalBytes()).isEqualTo(65_536);
      assertThat(pushed.getGranted(0).getFinal()).isFalse();
    }
  }

  @Test
  void aTopUpAtOneInstanceReachesTheSessionsOfAnother(@TempDir Path folder) throws Exception {
    try (RunningBilling other = RunningBilling.start(folder, CLOCK);
        CreditBridge elsewhere = new CreditBridge(other, "ims-bridge")) {
      MeteredSession web = session("web", ServiceClass.HT_HD);
      elsewhere.ask(web.request());
      elsewhere.forgetPushes(web.id);
      topUp(10 * DENARIUS);
      CreditAnswer pushed = elsewhere.pushed(web.id, CreditResult.SUCCESS);
      assertThat(pushed.getGranted(0).getTotalBytes()).isEqualTo(65_536);
    }
  }

  @Test
  void aChargeBelowItsReservationReachesTheCutSession() throws Exception {
    topUp(2 * DENARIUS);
    MeteredSession ssh = ssh();
    ssh.useUp(bridge.ask(ssh.request()));
    CreditAnswer cut = bridge.ask(ssh.request());
    assertThat(cut.getResult()).isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
    bridge.forgetPushes(ssh.id);
    bridge.submit(ssh.report(CLOCK.instant(), 100, false), CLOCK.instant());
    CreditAnswer pushed = bridge.pushed(ssh.id, CreditResult.SUCCESS);
    assertThat(pushed.getGranted(0).getTotalBytes()).isGreaterThan(ssh.bytes());
  }

  @Test
  void anApplicationThatIsRefusedGetsWhatAnotherSessionHoldsAndDoesNotNeed() throws Exception {
    topUp(2 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(2_500_000, 1_000);
    CreditAnswer all = bridge.ask(web.request());
    assertThat(all.getGranted(0).getFinal()).as("all credit is reserved").isTrue();
    MeteredSession mail = session("mail", ServiceClass.HT_HD);
    assertThat(bridge.ask(mail.request()).getResult()).isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
    assertThat(bridge.pushed(web.id, CreditAnswer::getReauthorise).getGranted(0).getTotalBytes())
        .as("what is granted stays until the session gives it back")
        .isEqualTo(all.getGranted(0).getTotalBytes());
    bridge.forgetPushes(mail.id);
    GrantedUnits share = bridge.ask(web.request()).getGranted(0);
    assertThat(share.getValidityMs())
        .as("half of what is free")
        .isBetween(
            all.getGranted(0).getValidityMs() / 3, all.getGranted(0).getValidityMs() * 2 / 3);
    CreditAnswer pushed = bridge.pushed(mail.id, CreditResult.SUCCESS);
    assertThat(pushed.getGranted(0).getTotalBytes()).isPositive();
    assertThat(pushed.getReauthorise()).isFalse();
    assertThat(available()).isNotNegative();
  }

  @Test
  void useThatIsNotChargedYetFreesItsCreditWithTheReportThatIsAskedFor() throws Exception {
    topUp(1_940_000); // 3.2 s at 0.6 den/s, and fees
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(500_000, 3_200);
    bridge.ask(flows(web.request(), "web", 0));
    MeteredSession ssh = ssh();
    assertThat(bridge.ask(ssh.request()).getResult()).isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
    bridge.pushed(web.id, CreditAnswer::getReauthorise);
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    assertThat(bridge.pushed(ssh.id, CreditResult.SUCCESS).getGranted(0).getTotalBytes())
        .isPositive();
  }

  @Test
  void aBlockedAccountIsToldAtOnceAndGoesOnWhenItIsUnblocked() throws Exception {
    topUp(10 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    bridge.forgetPushes(web.id);
    suspend(true);
    CreditAnswer blocked = bridge.pushed(web.id, CreditResult.ACCOUNT_BLOCKED);
    assertThat(blocked.getGrantedList()).isEmpty();
    CreditAnswer asked = bridge.ask(web.request());
    assertThat(asked.getResult()).isEqualTo(CreditResult.ACCOUNT_BLOCKED);
    assertThat(credit().get("refused").asString()).isEqualTo("suspended");
    bridge.forgetPushes(web.id);
    suspend(false);
    CreditAnswer unblocked = bridge.pushed(web.id, CreditResult.SUCCESS);
    assertThat(unblocked.getGranted(0).getTotalBytes()).isEqualTo(65_536);
  }

  private Answer block(boolean isBlocked, String reason) throws Exception {
    Answer read = billing.get("/api/v1/accounts/" + account + "/credit", operator);
    return put(
        "block",
        read.raw().headers().firstValue("ETag").orElseThrow(),
        "{\"blocked\":%s,\"reason\":\"%s\"}".formatted(isBlocked, reason));
  }

  @Test
  void theOperatorsBlockEndsQuotasAtOnceAndItsEndGivesThemBack() throws Exception {
    topUp(10 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    bridge.forgetPushes(web.id);
    Answer decided = block(true, "stolen card");
    assertThat(decided.status()).isEqualTo(200);
    assertThat(decided.body().get("refused").asString()).isEqualTo("blocked");
    assertThat(decided.body().at("/block/reason").asString()).isEqualTo("stolen card");
    assertThat(decided.body().at("/block/decidedBy").asString()).isEqualTo("operator");
    CreditAnswer blocked = bridge.pushed(web.id, CreditResult.ACCOUNT_BLOCKED);
    assertThat(blocked.getGrantedList()).isEmpty();
    assertThat(blocked.getReason()).isEqualTo("the operator has blocked the account");
    assertThat(bridge.ask(web.request()).getResult()).isEqualTo(CreditResult.ACCOUNT_BLOCKED);
    assertThat(billing.get("/api/v1/accounts/" + account, operator).body().get("state").asString())
        .isEqualTo("active");
    bridge.forgetPushes(web.id);
    assertThat(block(false, "card found").body().get("block").isNull()).isTrue();
    assertThat(bridge.pushed(web.id, CreditResult.SUCCESS).getGranted(0).getTotalBytes())
        .isEqualTo(65_536);
  }

  @Test
  void aBlockAndItsEndReachTheBridgeWithinASecond() throws Exception {
    topUp(10 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    bridge.forgetPushes(web.id);
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      boolean isBlocked = i % 2 == 0;
      long began = System.nanoTime();
      block(isBlocked, "again");
      bridge.pushed(web.id, isBlocked ? CreditResult.ACCOUNT_BLOCKED : CreditResult.SUCCESS);
      times.add((System.nanoTime() - began) / 1_000_000);
    }
    times.sort(null);
    System.out.printf(
        "MEASURED from the operator's request to the push at the bridge: p50 %d, p98 %d ms%n",
        times.get(30), times.get(58));
    assertThat(times.get(58)).isLessThan(1000);
  }

  @Test
  void aBlockNeedsAReasonAndTheVersionThatItsOperatorSaw() throws Exception {
    Answer read = billing.get("/api/v1/accounts/" + account + "/credit", operator);
    String version = read.raw().headers().firstValue("ETag").orElseThrow();
    assertThat(put("block", version, "{\"blocked\":true,\"reason\":\" \"}").status())
        .isEqualTo(400);
    assertThat(block(true, "first").status()).isEqualTo(200);
    Answer late = put("block", version, "{\"blocked\":false,\"reason\":\"second\"}");
    assertThat(late.status()).isEqualTo(412);
    assertThat(credit().at("/block/reason").asString()).isEqualTo("first");
    String user = billing.logIn(account, "password-of-" + account);
    assertThat(
            billing
                .call(
                    "PUT",
                    "/api/v1/accounts/" + account + "/credit/block",
                    user,
                    "{\"blocked\":false,\"reason\":\"mine\"}",
                    Map.of("If-Match", version))
                .status())
        .isEqualTo(403);
  }

  @Test
  void theOperatorSeesWhatIsReservedAndTheNotices() throws Exception {
    topUp(10 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    JsonNode mine =
        billing.get("/api/v1/accounts/" + account + "/credit/reservations", operator).body();
    assertThat(mine.at("/reservations/0/session").asString()).isEqualTo(web.id);
    assertThat(mine.at("/reservations/0/allowedBytes").asString()).isEqualTo("65536");
    assertThat(mine.at("/reservations/0/reservedMicrodenarii").asLong()).isEqualTo(reserved());
    assertThat(mine.at("/reservations/0/cut").asBoolean()).isFalse();
    JsonNode all = billing.get("/api/v1/credit?limit=500", operator).body();
    assertThat(all.get("reservedMicrodenarii").asLong()).isGreaterThanOrEqualTo(reserved());
    assertThat(all.get("largest").findValuesAsString("session")).contains(web.id);
    assertThat(all.at("/pushes/account_blocked").isNumber()).isTrue();
    List<MeteredSession> sessions = new ArrayList<>(List.of(web));
    for (int i = 0; i < 4; i++) {
      sessions.add(session("web", ServiceClass.HT_HD));
      bridge.ask(sessions.getLast().request());
    }
    String[] ids = sessions.stream().map(each -> each.id).toArray(String[]::new);
    assertThat(
            billing.paged(
                "/api/v1/accounts/" + account + "/credit/reservations",
                operator,
                "reservations",
                "session"))
        .containsExactlyInAnyOrder(ids);
    assertThat(billing.paged("/api/v1/credit", operator, "largest", "session")).contains(ids);
    assertThat(
            billing.paged(
                "/api/v1/credit/sessions?accounts=" + account, operator, "sessions", "session"))
        .containsExactlyInAnyOrder(ids);
    block(true, "look");
    bridge.pushed(web.id, CreditResult.ACCOUNT_BLOCKED);
    assertThat(
            billing
                .get("/api/v1/credit?cut=true&limit=500", operator)
                .body()
                .get("largest")
                .findValuesAsString("session"))
        .contains(web.id);
  }

  @Test
  void noticesAreListedLatestFirst() throws Exception {
    for (String state : List.of("LOW", "EXHAUSTED")) {
      SharedDatabase.jdbc()
          .update(
              "insert into credit_notice (account, state, credit_microdenarii, noticed_at, delivery, next_attempt_at)"
                  + " values (?, ?, 7, now(), 'GIVEN_UP', now())",
              account,
              state);
    }
    String path = "/api/v1/accounts/" + account + "/credit/notices?limit=1";
    JsonNode last = billing.get(path, operator).body();
    assertThat(last.at("/notices/0/state").asString()).isEqualTo("exhausted");
    assertThat(last.at("/notices/0/delivery").asString()).isEqualTo("given-up");
    JsonNode before = billing.get(path + "&cursor=" + last.get("next").asString(), operator).body();
    assertThat(before.at("/notices/0/state").asString()).isEqualTo("low");
  }

  private String refused() throws Exception {
    return credit().get("refused").asString();
  }

  private String version() throws Exception {
    return billing.tag("/api/v1/accounts/" + account + "/credit", operator);
  }

  private List<String> notices() throws Exception {
    List<String> states = new ArrayList<>();
    billing
        .get("/api/v1/accounts/" + account + "/credit/notices", operator)
        .body()
        .get("notices")
        .forEach(notice -> states.add(notice.get("state").asString()));
    return states;
  }

  @Test
  void aRefusalNamesItsReason() throws Exception {
    bridge.ask(ssh().request());
    assertThat(refused()).isEqualTo("credit");
    topUp(100 * DENARIUS);
    await().untilAsserted(() -> assertThat(refused()).isEqualTo("none"));
    block(true, "stolen card");
    assertThat(refused()).isEqualTo("blocked");
    suspend(true);
    assertThat(refused()).isEqualTo("suspended");
  }

  @Test
  void aCapThatChargesReachIsNoticedWithoutARequest() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession ssh = ssh();
    ssh.useUp(bridge.ask(ssh.request()));
    bridge.ask(ssh.request(CreditRequestType.TERMINATION));
    put("caps", version(), "{\"dayMicrodenarii\":\"1000\"}");
    assertThat(refused()).isEqualTo("none");
    bridge.submit(ssh.report(CLOCK.instant(), 100, true), CLOCK.instant());
    await().untilAsserted(() -> assertThat(refused()).isEqualTo("cap-day"));
    assertThat(notices()).startsWith("cap-day");
    CLOCK.advance(Duration.ofDays(1));
    operator = billing.operator();
    assertThat(refused()).as("on the next day").isEqualTo("none");
  }

  @Test
  void theUsersCapEndsTheSpendingOfTheDay() throws Exception {
    topUp(100 * DENARIUS);
    String token = billing.logIn(account, "password-of-" + account);
    Answer read = billing.get("/api/v1/accounts/" + account + "/credit", token);
    String version = read.raw().headers().firstValue("ETag").orElseThrow();
    Answer set =
        billing.call(
            "PUT",
            "/api/v1/accounts/" + account + "/credit/caps",
            token,
            "{\"dayMicrodenarii\":\"2000000\"}",
            Map.of("If-Match", version));
    assertThat(set.status()).isEqualTo(200);
    MeteredSession ssh = ssh();
    CreditAnswer capped = bridge.ask(ssh.request());
    assertThat(capped.getGranted(0).getFinal()).isTrue();
    ssh.useUp(capped);
    bridge.submit(ssh.report(CLOCK.instant(), 100, false), CLOCK.instant());
    while (bridge.ask(ssh.request()).getResult() == CreditResult.SUCCESS) {
      ssh.carry(1_500, 200);
      bridge.submit(ssh.report(CLOCK.instant(), 100, false), CLOCK.instant());
    }
    CreditAnswer last = bridge.ask(ssh.request());
    assertThat(last.getResult()).isEqualTo(CreditResult.SPENDING_CAP_REACHED);
    JsonNode credit = credit();
    assertThat(credit.at("/caps/spentTodayMicrodenarii").asLong())
        .isEqualTo(100 * DENARIUS - credit.get("balanceMicrodenarii").asLong())
        .isBetween(1_500_000L, 2_000_000L);
    assertThat(credit.get("state").asString()).isEqualTo("sufficient");
    assertThat(credit.get("refused").asString()).isEqualTo("cap-day");
    bridge.ask(ssh.request());
    assertThat(notices()).as("told once").containsOnlyOnce("cap-day").startsWith("cap-day");
    assertThat(put("caps", version(), "{\"dayMicrodenarii\":\"3000000\"}").status()).isEqualTo(200);
    await().untilAsserted(() -> assertThat(refused()).isEqualTo("none"));
    assertThat(put("caps", version(), "{\"monthMicrodenarii\":\"1000000\"}").status())
        .isEqualTo(200);
    await().untilAsserted(() -> assertThat(refused()).isEqualTo("cap-month"));
    await()
        .untilAsserted(
            () -> assertThat(notices()).containsOnlyOnce("cap-month").startsWith("cap-month"));
    Answer stale = put("limit", version, "{\"limitMicrodenarii\":\"1\"}");
    assertThat(stale.status()).isEqualTo(412);
    assertThat(stale.problem()).isEqualTo("changed-meanwhile");
  }

  @Test
  void aCreditLimitLetsTheBalanceGoBelowZero() throws Exception {
    MeteredSession web = session("web", ServiceClass.HT_HD);
    assertThat(bridge.ask(web.request()).getResult()).isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
    bridge.forgetPushes(web.id);
    assertThat(put("limit", "\"1\"", "{\"limitMicrodenarii\":\"50000000\"}").status())
        .isEqualTo(200);
    bridge.pushed(web.id, CreditResult.SUCCESS);
    web.carry(60_000, 4_000);
    bridge.ask(web.request(CreditRequestType.TERMINATION));
    bridge.submit(web.report(CLOCK.instant(), 100, true), CLOCK.instant());
    assertThat(credit().get("balanceMicrodenarii").asLong()).isNegative();
    assertThat(available()).isBetween(40 * DENARIUS, 50 * DENARIUS);
    long spent = credit().get("spentLastHourMicrodenarii").asLong();
    assertThat(spent).isEqualTo(-credit().get("balanceMicrodenarii").asLong());
    assertThat(credit().get("lastsSeconds").asLong())
        .isEqualTo((50 * DENARIUS - spent) * 3600 / spent);
    put("caps", version(), "{\"dayMicrodenarii\":\"%d\"}".formatted(2 * spent));
    assertThat(credit().get("lastsSeconds").asLong()).as("until the cap").isEqualTo(3600);
  }

  @Test
  void howLongTheCreditLastsFollowsWhatRunsNow() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(60_000, 4_000);
    bridge.ask(web.request());
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    long spent = credit().get("spentLastHourMicrodenarii").asLong();
    assertThat(spent).isPositive();
    long perHour = 900 * spent;
    assertThat(credit().get("ratePerHourMicrodenarii").asLong()).isEqualTo(perHour);
    assertThat(credit().get("lastsSeconds").asLong())
        .isEqualTo((long) ((100.0 * DENARIUS - spent) / perHour * 3600));
  }

  @Test
  void aGrantThatNobodyAsksAboutAgainIsReleasedWhenItsTimeIsOver() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(10_000, 1_000);
    bridge.ask(web.request());
    long used = 115_000; // 10 kB at the highest price
    assertThat(reserved()).isGreaterThan(800_000);
    CLOCK.advance(Duration.ofSeconds(11));
    await().untilAsserted(() -> assertThat(reserved()).isBetween(used, used + 2_000));
    CLOCK.advance(Duration.ofHours(24));
    operator = billing.operator();
    await().untilAsserted(() -> assertThat(reserved()).isZero());
  }

  @Test
  void bytesThatAreInNoReportAreReleasedWithTheLastReport() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(10_000, 1_000);
    var report = web.report(CLOCK.instant(), 100, true);
    web.carry(5_000, 1_000); // lost on its way, as the device says after the last report
    bridge.ask(web.request(CreditRequestType.TERMINATION));
    assertThat(reserved()).isPositive();
    bridge.submit(report, CLOCK.instant());
    assertThat(reserved()).isZero();
  }

  @Test
  void aChargeSaysWhetherItsTrafficHadAQuota() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(60_000, 1_000);
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    web.carry(60_000, 1_000); // billing is away, and the class goes on
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    JsonNode charges =
        billing.get("/api/v1/accounts/" + account + "/charges", operator).body().get("charges");
    List<String> passed = new ArrayList<>();
    for (JsonNode charge : charges) {
      passed.add(
          billing
              .get("/api/v1/charges/" + charge.get("id").asString() + "/payment", operator)
              .body()
              .get("passedBy")
              .asString());
    }
    assertThat(passed).containsExactly("beyond-quota", "quota");
    assertThat(charges).extracting(charge -> charge.get("passedBy").asString()).isEqualTo(passed);
    String path = "/api/v1/accounts/" + account + "/charges";
    JsonNode beyond = billing.get(path + "?passedBy=beyond-quota", operator).body().get("charges");
    assertThat(beyond).containsExactly(charges.get(0));
    assertThat(billing.get(path + "?passedBy=none", operator).body().get("charges")).isEmpty();
    assertThat(billing.get(path + ".csv?passedBy=quota", operator).raw().body().lines())
        .hasSize(2)
        .last()
        .asString()
        .contains(",quota,prepaid,");
  }

  @Test
  void whatPassedWhileBillingWasAwayIsBeyondItsQuotaAlsoIfItIsToldBeforeItsReport()
      throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    long granted = bridge.ask(web.request()).getGranted(0).getTotalBytes();
    web.carry(granted + 5_000_000, 10_000); // billing is away
    bridge.ask(web.request());
    bridge.submit(web.report(CLOCK.instant(), 100, false), CLOCK.instant());
    JsonNode charge =
        billing.get("/api/v1/accounts/" + account + "/charges", operator).body().at("/charges/0");
    String payment = "/api/v1/charges/" + charge.get("id").asString() + "/payment";
    assertThat(billing.get(payment, operator).body().get("passedBy").asString())
        .isEqualTo("beyond-quota");
  }

  @Test
  void aSessionWhoseReportComesBeforeItsFirstRequestIsBeyondItsQuota() throws Exception {
    bridge.ask(session("ssh", ServiceClass.LT_LD).request()); // the SNAPT has credit control
    MeteredSession web = session("web", ServiceClass.HT_HD);
    web.carry(60_000, 1_000); // billing was away from the session's begin to its end
    double before = beyondQuota();
    bridge.submit(web.report(CLOCK.instant(), 100, true), CLOCK.instant());
    assertThat(passedBy()).isEqualTo("beyond-quota");
    assertThat(beyondQuota()).isEqualTo(before + 60_000);
  }

  @Test
  void aNewApplicationOfASessionIsBeyondItsQuotaIfItsReportComesFirst() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession web = session("web", ServiceClass.HT_HD);
    bridge.ask(web.request());
    web.carry(60_000, 1_000);
    UsageReport both = web.report(CLOCK.instant(), 100, false);
    UsageReport.Builder other = both.toBuilder();
    other.setPreBytes(2 * both.getPreBytes()).setPostBytes(2 * both.getPostBytes());
    other.addFlows(both.getFlows(0).toBuilder().setFlow(2).setApplication("chat"));
    bridge.submit(other.build(), CLOCK.instant());
    assertThat(passedBy("chat")).isEqualTo("beyond-quota");
    assertThat(passedBy("web")).isEqualTo("quota");
  }

  @Test
  void aSnaptWithoutCreditControlHasNoQuotasToGoBeyond() throws Exception {
    MeteredSession web =
        new MeteredSession("snapt-free-" + account, account, "web", ServiceClass.HT_HD);
    web.carry(60_000, 1_000);
    bridge.submit(web.report(CLOCK.instant(), 100, true), CLOCK.instant());
    assertThat(passedBy()).isEqualTo("none");
  }

  private static double beyondQuota() {
    return billing
        .parts
        .getBean(MeterRegistry.class)
        .get("viaduct_credit_beyond_quota_bytes")
        .tag("class", "ht_hd")
        .counter()
        .count();
  }

  private String passedBy() throws Exception {
    return passedBy("");
  }

  private String passedBy(String application) throws Exception {
    JsonNode charge =
        billing
            .get("/api/v1/accounts/" + account + "/charges?application=" + application, operator)
            .body()
            .at("/charges/0");
    return billing
        .get("/api/v1/charges/" + charge.get("id").asString() + "/payment", operator)
        .body()
        .get("passedBy")
        .asString();
  }

  @Test
  void useFromBeforeTheEndOfAWalletIsPaidByItAlthoughItsReportComesLater() throws Exception {
    billing.call(
        "POST",
        "/api/v1/accounts/" + account + "/grants",
        operator,
        "{\"amountMicrodenarii\":\"10000000\",\"expiresAt\":\"%s\",\"reason\":\"welcome\"}"
            .formatted(CLOCK.instant().plus(Duration.ofMinutes(1))),
        Map.of("Idempotency-Key", account));
    MeteredSession web = session("web", ServiceClass.HT_HD);
    web.useUp(bridge.ask(web.request()));
    bridge.ask(web.request());
    UsageReport before = web.report(CLOCK.instant(), 100, false);
    CLOCK.advance(Duration.ofMinutes(2));
    assertThat(bridge.ask(web.request()).getResult())
        .as("an expired wallet pays nothing new")
        .isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
    bridge.submit(before, CLOCK.instant());
    JsonNode charge =
        billing.get("/api/v1/accounts/" + account + "/charges", operator).body().at("/charges/0");
    String payment = "/api/v1/charges/" + charge.get("id").asString() + "/payment";
    assertThat(billing.get(payment, operator).body().at("/paidBy/0/wallet").asString())
        .isEqualTo("grant");
    bridge.ask(web.request(CreditRequestType.TERMINATION));
    await().untilAsserted(() -> assertThat(credit().get("balanceMicrodenarii").asLong()).isZero());
  }

  @Test
  void anApplicationWhoseUseIsChargedMakesRoomForAnotherOne() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession names = session("app-0", ServiceClass.LT_LD);
    bridge.ask(flows(names.request(), "app-0", 0));
    for (int i = 1; i <= 300; i++) {
      CreditRequest ended = flows(names.request(), "app-" + i, 0);
      assertThat(bridge.ask(ended).getResult()).as("name %d", i).isEqualTo(CreditResult.SUCCESS);
    }
    MeteredSession busy = session("app-0", ServiceClass.LT_LD);
    for (int i = 0; i < 256; i++) {
      assertThat(bridge.ask(flows(busy.request(), "app-" + i, 1)).getResult())
          .isNotEqualTo(CreditResult.REQUEST_REFUSED);
    }
    CreditAnswer full = bridge.ask(flows(busy.request(), "app-256", 1));
    assertThat(full.getResult()).isEqualTo(CreditResult.REQUEST_REFUSED);
    assertThat(full.getReason()).contains("at most 256 applications at a time");
  }

  private static CreditRequest flows(CreditRequest request, String application, int open) {
    CreditRequest.Builder changed = request.toBuilder();
    changed.getUsedBuilder(0).setApplication(application).setFlows(open);
    return changed.build();
  }

  @Test
  void aRequestThatBreaksARuleIsRefusedWithTheRuleAndReservesNothing() throws Exception {
    topUp(100 * DENARIUS);
    Map<String, CreditRequest> wrong =
        Map.of(
            "type must be", ssh().request().toBuilder().setTypeValue(9).build(),
            "application must match", used(ssh(), u -> u.setApplication("SSH!")),
            "service_class must be 1 to 4", used(ssh(), u -> u.setServiceClassValue(5)),
            "total_bytes must be 0 to", used(ssh(), u -> u.setTotalBytes(-1)),
            "bytes_per_second must be 0 to", used(ssh(), u -> u.setBytesPerSecond(Double.NaN)),
            "names each application and class once", twice(ssh()));
    for (Map.Entry<String, CreditRequest> each : wrong.entrySet()) {
      CreditAnswer answer = bridge.ask(each.getValue());
      assertThat(answer.getResult()).as(each.getKey()).isEqualTo(CreditResult.REQUEST_REFUSED);
      assertThat(answer.getReason()).contains(each.getKey());
    }
    MeteredSession stranger =
        new MeteredSession("snapt-a", "nobody-" + account, "ssh", ServiceClass.LT_LD);
    assertThat(bridge.ask(stranger.request()).getResult()).isEqualTo(CreditResult.UNKNOWN_ACCOUNT);
    assertThat(reserved()).isZero();
  }

  private static CreditRequest used(
      MeteredSession session, java.util.function.UnaryOperator<UsedUnits.Builder> change) {
    CreditRequest.Builder request = session.request().toBuilder();
    change.apply(request.getUsedBuilder(0));
    return request.build();
  }

  private static CreditRequest twice(MeteredSession session) {
    CreditRequest request = session.request();
    return request.toBuilder().addUsed(request.getUsed(0)).build();
  }

  @Test
  void aSessionOfAnotherAccountIsNotTouched() throws Exception {
    topUp(100 * DENARIUS);
    MeteredSession mine = ssh();
    bridge.ask(mine.request());
    String other = account + "-2";
    billing.openAccount(operator, other);
    CreditAnswer answer = bridge.ask(mine.request().toBuilder().setAccount(other).build());
    assertThat(answer.getResult()).isEqualTo(CreditResult.REQUEST_REFUSED);
    assertThat(answer.getReason()).contains("another account");
  }

  @Test
  void limitAndCapsNeedTheirVersionAndTheRightCaller() throws Exception {
    String token = billing.logIn(account, "password-of-" + account);
    String path = "/api/v1/accounts/" + account + "/credit/limit";
    assertThat(
            billing
                .call(
                    "PUT",
                    path,
                    token,
                    "{\"limitMicrodenarii\":\"1\"}",
                    Map.of("If-Match", "\"1\""))
                .problem())
        .isEqualTo("forbidden");
    assertThat(
            billing.call("PUT", path, operator, "{\"limitMicrodenarii\":\"1\"}", Map.of()).status())
        .isEqualTo(428);
    assertThat(put("limit", "\"1\"", "{\"limitMicrodenarii\":\"-1\"}").raw().body())
        .contains("whole number from 0");
    assertThat(put("limit", "1", "{\"limitMicrodenarii\":\"1\"}").status()).isEqualTo(400);
  }

  @Test
  void aCallerWithoutTheBridgesCertificateIsRefused() throws Exception {
    try (CreditBridge snapt = new CreditBridge(billing, "snapt-a")) {
      assertThat(snapt.ends.take().getCode()).isEqualTo(io.grpc.Status.Code.PERMISSION_DENIED);
    }
  }
}
