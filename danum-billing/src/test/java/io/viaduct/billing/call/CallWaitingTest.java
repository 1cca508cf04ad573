package io.viaduct.billing.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.billing.ManualClock;
import io.viaduct.billing.RunningBilling;
import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.credit.CallCredit;
import io.viaduct.billing.credit.CreditFollower;
import io.viaduct.billing.credit.CreditService;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.provisioning.SipAddresses;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.wallet.Wallets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Calls that wait for credit, and changes of it, on a running billing with a database of its own.
@Timeout(120)
class CallWaitingTest {
  private static final long MICRO_PER_SECOND = 10_000;
  private static final CallRules RULES =
      new CallRules(Duration.ofMinutes(1), Duration.ofMinutes(5), 256);

  private static final ManualClock CLOCK = new ManualClock();
  private static RunningBilling billing;

  private final String account = "caller-" + UUID.randomUUID().toString().substring(0, 8);
  private final String session = "scscf;" + UUID.randomUUID();
  private final List<WaitingCall> told = new ArrayList<>();
  private CallCharging charging;

  @BeforeAll
  static void start(@TempDir Path folder) throws Exception {
    billing =
        RunningBilling.start(
            folder,
            CLOCK,
            SharedDatabase.separate("waiting_" + UUID.randomUUID().toString().replace("-", "")),
            "");
    Tariff shipped = TariffDocument.initial();
    ObjectNode document = (ObjectNode) JsonMapper.shared().readTree(TariffDocument.print(shipped));
    ((ObjectNode) document.get("fees")).put("PER_CALL_SECOND", 0.01);
    var unused =
        part(TariffBook.class)
            .add(
                TariffDocument.parse(document.toString()),
                CLOCK.instant(),
                "test",
                CLOCK.instant());
    CLOCK.advance(Duration.ofSeconds(1));
  }

  @AfterAll
  static void stop() {
    billing.close();
  }

  private static <T> T part(Class<T> type) {
    return billing.parts.getBean(type);
  }

  /// @param listener is told of an answer when it is committed, and before the call is noted
  private CallCharging charging(ChargeListener listener, Consumer<String> look) {
    return new CallCharging(
        part(TransactionTemplate.class),
        part(JdbcClient.class),
        part(SipAddresses.class),
        part(TariffBook.class),
        part(CallCredit.class),
        part(Ledger.class),
        part(Wallets.class),
        listener,
        look,
        RULES);
  }

  private CallAnswer ask(CallRequest.Kind kind, long number, long used) {
    return charging.answer(
        new CallRequest(
            "scscf.ims.test",
            "ims.test",
            session,
            number,
            kind,
            List.of(account),
            used,
            30,
            Set.of()),
        CLOCK.instant());
  }

  private void topUp(MicroDenarii amount) {
    try {
      RunningBilling.Answer answer =
          billing.call(
              "POST",
              "/api/v1/accounts/" + account + "/top-ups",
              billing.operator(),
              "{\"amountMicrodenarii\":\"%d\",\"reference\":\"cash\"}".formatted(amount.value()),
              Map.of("Idempotency-Key", UUID.randomUUID().toString()));
      assertThat(answer.status()).as(answer.raw().body()).isEqualTo(201);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private void open(long seconds) throws Exception {
    billing.openAccount(billing.operator(), account);
    topUp(new MicroDenarii(seconds * MICRO_PER_SECOND));
  }

  private void look(String changed) {
    told.addAll(charging.payable(changed, CLOCK.instant()));
  }

  @Test
  void aTopUpBetweenTheAnswerAndTheNoteIsHeardOf() throws Exception {
    open(30);
    charging = charging((_, _) -> {}, this::look);
    assertThat(ask(CallRequest.Kind.INITIAL, 0, 0).grantedSeconds()).isEqualTo(30);
    CallCharging other = charging;
    charging =
        charging(
            (of, _) -> {
              topUp(new MicroDenarii(60 * MICRO_PER_SECOND));
              look(of);
              assertThat(told).as("no call is noted yet").isEmpty();
            },
            this::look);
    CLOCK.advance(Duration.ofSeconds(30));
    assertThat(ask(CallRequest.Kind.UPDATE, 1, 30).outcome())
        .isEqualTo(CallOutcome.CREDIT_LIMIT_REACHED);
    assertThat(told).extracting(WaitingCall::session).containsExactly(session);
    assertThat(charging.waitingAccounts()).isEmpty();
    assertThat(other.waitingAccounts()).isEmpty();
  }

  @Test
  void aCallThatCannotBePaidYetGoesOnWaiting() throws Exception {
    open(30);
    charging = charging((_, _) -> {}, this::look);
    var unused = ask(CallRequest.Kind.INITIAL, 0, 0);
    CLOCK.advance(Duration.ofSeconds(30));
    var refused = ask(CallRequest.Kind.UPDATE, 1, 30);
    assertThat(refused.outcome()).isEqualTo(CallOutcome.CREDIT_LIMIT_REACHED);
    assertThat(told).isEmpty();
    assertThat(charging.waitingAccounts()).containsExactly(account);
  }

  @Test
  void aFollowerHearsOfAChangeThoughAnotherOneFails() throws Exception {
    List<String> heard = new CopyOnWriteArrayList<>();
    part(CreditService.class)
        .follow(
            follower(_ -> {
              throw new IllegalStateException("of the test");
            }));
    part(CreditService.class).follow(follower(heard::add));
    open(30);
    await().untilAsserted(() -> assertThat(heard).contains(account));
  }

  private static CreditFollower follower(Consumer<String> changed) {
    return new CreditFollower() {
      @Override
      public Set<String> accounts() {
        return Set.of();
      }

      @Override
      public void changed(String account) {
        changed.accept(account);
      }
    };
  }
}
