package io.viaduct.billing.credit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequestType;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.ServiceClass;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Many sessions of several streams and few accounts ask a running billing at once. `viaduct bench
/// credit-load` measures more of them.
@Timeout(120)
class CreditLoadTest {
  private static final int STREAMS = 8;
  private static final int SESSIONS_OF_STREAM = 50;
  private static final int ACCOUNTS = 20;
  private static final int ROUNDS = 3;
  private static final ManualClock CLOCK = new ManualClock();

  private static RunningBilling billing;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing = RunningBilling.start(folder, CLOCK);
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  @Test
  void everySessionGetsItsAnswersAndNothingStaysBehind() throws Exception {
    String run = "load-" + UUID.randomUUID().toString().substring(0, 8) + "-";
    String operator = billing.operator();
    for (int i = 0; i < ACCOUNTS; i++) {
      billing.openAccount(operator, run + i);
      billing.call(
          "POST",
          "/api/v1/accounts/" + run + i + "/top-ups",
          operator,
          "{\"amountMicrodenarii\":\"1000000000\",\"reference\":\"cash\"}",
          Map.of("Idempotency-Key", run + i));
    }
    List<CreditBridge> bridges = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> sessions = new ArrayList<>();
      for (int stream = 0; stream < STREAMS; stream++) {
        CreditBridge bridge = new CreditBridge(billing, "ims-bridge");
        bridges.add(bridge);
        String snapt = "snapt-" + stream;
        for (int i = 0; i < SESSIONS_OF_STREAM; i++) {
          String account = run + sessions.size() % ACCOUNTS;
          sessions.add(threads.submit(() -> session(bridge, snapt, account)));
        }
      }
      for (Future<?> each : sessions) {
        each.get();
      }
      for (int i = 0; i < ACCOUNTS; i++) {
        assertThat(
                billing
                    .get("/api/v1/accounts/" + run + i + "/credit", operator)
                    .body()
                    .get("reservedMicrodenarii")
                    .asLong())
            .isZero();
      }
      await().until(() -> billing.counter("viaduct_credit_sessions ") == 0);
    } finally {
      for (CreditBridge each : bridges) {
        each.close();
      }
    }
  }

  private static Void session(CreditBridge bridge, String snapt, String account) throws Exception {
    MeteredSession session = new MeteredSession(snapt, account, "web", ServiceClass.HT_HD);
    for (int round = 0; round < ROUNDS; round++) {
      CreditAnswer answer = bridge.ask(session.request());
      assertThat(answer.getResult()).isEqualTo(CreditResult.SUCCESS);
      assertThat(answer.getGranted(0).getTotalBytes()).isGreaterThan(session.bytes());
      session.carry(20_000, 1_000);
    }
    bridge.ask(session.request());
    bridge.submit(session.report(CLOCK.instant(), 100, true), CLOCK.instant());
    assertThat(bridge.ask(session.request(CreditRequestType.TERMINATION)).getResult())
        .isEqualTo(CreditResult.SUCCESS);
    return null;
  }
}
