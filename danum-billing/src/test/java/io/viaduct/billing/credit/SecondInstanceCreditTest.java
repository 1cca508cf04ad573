package io.viaduct.billing.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.ServiceClass;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Quotas and blocks of two billing instances on one PostgreSQL: the operator works at the first,
/// and the sessions have their streams at the second.
class SecondInstanceCreditTest {
  private static final ManualClock CLOCK = new ManualClock();
  @TempDir private static Path folder;
  private static RunningBilling first;
  private static RunningBilling second;

  private final String account = "credit-" + UUID.randomUUID().toString().substring(0, 8);
  private String operator;

  @BeforeAll
  static void start() throws Exception {
    first = RunningBilling.start(Files.createDirectory(folder.resolve("first")), CLOCK);
    second = RunningBilling.start(Files.createDirectory(folder.resolve("second")), CLOCK);
  }

  @AfterAll
  static void stop() {
    first.close();
    second.close();
  }

  @BeforeEach
  void open() throws Exception {
    operator = first.operator();
    first.openAccount(operator, account);
  }

  private void topUp(long microdenarii) throws Exception {
    assertThat(
            first
                .call(
                    "POST",
                    "/api/v1/accounts/" + account + "/top-ups",
                    operator,
                    "{\"amountMicrodenarii\":\"%d\",\"reference\":\"cash\"}"
                        .formatted(microdenarii),
                    Map.of("Idempotency-Key", UUID.randomUUID().toString()))
                .status())
        .isEqualTo(201);
  }

  private void block(boolean isBlocked) throws Exception {
    String credit = "/api/v1/accounts/" + account + "/credit";
    assertThat(
            first
                .call(
                    "PUT",
                    credit + "/block",
                    operator,
                    "{\"blocked\":%s,\"reason\":\"stolen card\"}".formatted(isBlocked),
                    first.ifMatch(credit, operator))
                .status())
        .isEqualTo(200);
  }

  @Test
  void aBlockAtOneInstanceEndsTheQuotasAtTheOtherAndItsEndGivesThemBack() throws Exception {
    topUp(10_000_000);
    MeteredSession web = new MeteredSession("snapt-a", account, "web", ServiceClass.HT_HD);
    try (CreditBridge bridge = new CreditBridge(second, "ims-bridge")) {
      assertThat(bridge.ask(web.request()).getResult()).isEqualTo(CreditResult.SUCCESS);
      bridge.forgetPushes(web.id);
      block(true);
      assertThat(bridge.pushed(web.id, CreditResult.ACCOUNT_BLOCKED).getGrantedList()).isEmpty();
      assertThat(bridge.ask(web.request()).getResult()).isEqualTo(CreditResult.ACCOUNT_BLOCKED);
      bridge.forgetPushes(web.id);
      block(false);
      CreditAnswer back = bridge.pushed(web.id, CreditResult.SUCCESS);
      assertThat(back.getGranted(0).getTotalBytes()).isPositive();
    }
  }

  @Test
  void aTopUpAtOneInstanceGivesQuotasAtTheOther() throws Exception {
    MeteredSession web = new MeteredSession("snapt-a", account, "web", ServiceClass.HT_HD);
    try (CreditBridge bridge = new CreditBridge(second, "ims-bridge")) {
      assertThat(bridge.ask(web.request()).getResult())
          .isEqualTo(CreditResult.CREDIT_LIMIT_REACHED);
      topUp(10_000_000);
      CreditAnswer pushed = bridge.pushed(web.id, CreditResult.SUCCESS);
      assertThat(pushed.getGranted(0).getTotalBytes()).isPositive();
    }
  }

  @Test
  void quotasOfOneAccountAtTwoInstancesShareItsCredit() throws Exception {
    topUp(10_000_000);
    MeteredSession here = new MeteredSession("snapt-a", account, "web", ServiceClass.HT_HD);
    MeteredSession there = new MeteredSession("snapt-b", account, "web", ServiceClass.HT_HD);
    try (CreditBridge one = new CreditBridge(first, "ims-bridge");
        CreditBridge two = new CreditBridge(second, "ims-bridge")) {
      long afterOne = one.ask(here.request()).getAvailableMicrodenarii();
      long afterTwo = two.ask(there.request()).getAvailableMicrodenarii();
      assertThat(afterTwo).as("both reservations count").isLessThan(afterOne);
    }
  }
}
