package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.usage.v1.DelaySource;
import io.viaduct.usage.v1.DirectionUsage;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.ServiceClass;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/// Fees, refunds and beneficiaries, from the report to the postings, on a real PostgreSQL. Each
/// test has a tariff of its own that is in force far ahead, so that no other test uses it.
class BillLinesTest {
  private static final String FEES = "{\"fees\":{\"PER_MEGABYTE\":0.02,\"PER_MINUTE\":0.03}}";

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final String owner = "owner-" + tag;
  private final MediationRig rig = new MediationRig(owner);

  @BeforeEach
  void open() {
    rig.openAccount(alice);
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  private void tariff(String changes) {
    rig.clock.advance(Duration.ofDays(365L * 40));
    rig.tariffs.add(
        SeedTariff.at(OperatingPoint.OFFERED, changes),
        rig.clock.instant(),
        "operator",
        rig.clock.instant());
    rig.clock.advance(Duration.ofMinutes(2));
  }

  private void submit(List<FlowUsage> flows) {
    assertThat(
            rig.verdict(
                Reports.report("snapt-" + tag, "s-" + tag, 1, 0, alice, rig.clock.instant(), flows)
                    .build()))
        .isEqualTo(ReportVerdict.POSTED);
  }

  private static FlowUsage flow(
      String application, long pre, double delayMs, UnaryOperator<FlowUsage.Builder> change) {
    return change.apply(Reports.flow(1, application, pre, pre, delayMs).toBuilder()).build();
  }

  private Map<String, Object> charge() {
    return rig.jdbc.queryForMap(
        "select * from charge where account = ? order by id limit 1", alice);
  }

  private long balance(LedgerAccount account) {
    return rig.ledger.balance(account).value();
  }

  @Test
  void whatAFlowWantedIsStoredAndLowersItsPrice() {
    tariff("{}");
    submit(
        List.of(
            flow("skype-voice", 60_000, 40, f -> f.setBusy(0.25).setSpareKbitPerSecond(400.0))));
    Map<String, Object> charge = charge();
    assertThat(charge.get("busy")).isEqualTo(0.25);
    assertThat(charge.get("spare")).isEqualTo(400.0);
    assertThat(charge.get("demand_end")).isEqualTo("SNAPT");
    assertThat(charge.get("offered")).isEqualTo(8.0 + 300.0);
    // reference.py, charge_offered of HT_LD with x_ref 30 and d_ref 500
    assertThat(rig.balance(alice)).isEqualTo(-81_695);
  }

  @Test
  void theSameReportWithAnotherDemandIsAConflictAndTheFirstStands() {
    tariff("{}");
    FlowUsage told = flow("skype-voice", 60_000, 40, f -> f.setBusy(0.25));
    submit(List.of(told));
    long before = rig.balance(alice);
    for (FlowUsage other :
        List.of(
            told.toBuilder().setBusy(0.26).build(),
            told.toBuilder().setSpareKbitPerSecond(1).build(),
            told.toBuilder().clearBusy().build())) {
      assertThat(
              rig.verdict(
                  Reports.report(
                          "snapt-" + tag,
                          "s-" + tag,
                          1,
                          0,
                          alice,
                          rig.clock.instant(),
                          List.of(other))
                      .build()))
          .isEqualTo(ReportVerdict.CONFLICT);
    }
    assertThat(rig.balance(alice)).isEqualTo(before);
  }

  @Test
  void aReportThatSaysNothingAboutDemandCountsAsBusy() {
    tariff("{}");
    submit(List.of(flow("skype-voice", 60_000, 40, f -> f)));
    Map<String, Object> charge = charge();
    assertThat(charge.get("busy")).isNull();
    assertThat(charge.get("spare")).isNull();
    assertThat(charge.get("offered")).isEqualTo(8.0);
    // reference.py, charge of HT_LD with x_ref 30 and d_ref 500
    assertThat(rig.balance(alice)).isEqualTo(-14_359_085);
  }

  @Test
  void feesArePostedAsLinesOfTheirOwnAndNoDiscountTouchesThem() {
    tariff(FEES);
    submit(Reports.workedExample());
    // The fee per minute, 30 000, is shared by bytes: 2 550 000 to 1 425 000.
    assertThat(
            rig.jdbc.queryForList(
                "select access_fee_microdenarii from charge where account = ? order by id",
                Long.class,
                alice))
        .containsExactly(51_000L + 19_245, 28_500L + 10_755);
    long fees = 79_500 + 30_000;
    assertThat(rig.balance(alice)).isEqualTo(-34_348_658 - fees);
    assertThat(
            rig.jdbc.queryForList(
                "select p.amount_microdenarii from posting p join ledger_transaction t on t.id = p.transaction_id"
                    + " join charging_interval i on i.id = t.interval_id"
                    + " where i.account = ? and p.account = 'OPERATOR:FEES'",
                Long.class,
                alice))
        .containsExactly(fees);
    rig.clock.advance(Duration.ofMinutes(11));
    rig.settlement.settleDue(rig.clock.instant());
    assertThat(balance(LedgerAccount.provider(owner))).isEqualTo(3_554_116);
  }

  @Test
  void aVoidIntervalGivesBackEveryLine() {
    tariff(
        "{\"fees\":{\"PER_MEGABYTE\":0.02},\"refunds\":{\"DELAY\":0.5},"
            + "\"discount\":{\"base\":\"SAVED\",\"denarii-per-megabyte\":0.5,\"cap\":0.3,\"beneficiary\":\"SPLIT\"}}");
    rig.submit(
        Reports.unsigned(
            Reports.report(
                    "snapt-" + tag,
                    "s-" + tag,
                    1,
                    0,
                    alice,
                    rig.clock.instant(),
                    List.of(Reports.flow(1, "skype-video", 2_550_000, 1_020_000, 240)))
                .build()));
    assertThat(rig.balance(alice)).isNegative();
    assertThat(balance(LedgerAccount.provider(owner))).isPositive();
    long interval =
        rig.jdbc.queryForObject(
            "select id from charging_interval where account = ?", Long.class, alice);
    rig.clock.advance(MediationRig.DECIDE_AFTER.plusMinutes(1));
    rig.unsigned.decide(
        interval,
        UnsignedIntervals.Verdict.VOIDED,
        new Evidence.Decision("operator", "never signed"),
        rig.clock.instant());
    assertThat(rig.balance(alice)).isZero();
    assertThat(balance(LedgerAccount.provider(owner))).isZero();
  }

  @Test
  void aSplitDiscountGoesToUserAndOwnerAndTheUserHasTheOddMicroDenarius() {
    tariff(
        "{\"discount\":{\"base\":\"SAVED\",\"denarii-per-megabyte\":0.5,\"cap\":0.3,\"beneficiary\":\"SPLIT\"}}");
    submit(List.of(Reports.flow(1, "skype-video", 2_550_000, 2_549_994, 140)));
    assertThat(charge().get("discount_microdenarii")).isEqualTo(2L);
    assertThat(charge().get("reward_microdenarii")).isEqualTo(1L);
    assertThat(balance(LedgerAccount.provider(owner))).isEqualTo(1);
  }

  @Test
  void theVerificationFindsARewardThatSomebodyElseHas() {
    tariff(
        "{\"discount\":{\"base\":\"SAVED\",\"denarii-per-megabyte\":0.5,\"cap\":0.3,\"beneficiary\":\"SHARER\"}}");
    submit(Reports.workedExample());
    SharedDatabase.asOwner((jdbc, transaction) -> {
      jdbc.execute("alter table posting disable trigger user");
      jdbc.execute("grant update on posting to current_user");
      jdbc.update("insert into ledger_account values ('PROVIDER:thief', 'PROVIDER', now())");
      jdbc.update(
          "update posting set account = 'PROVIDER:thief' where account = ?", "PROVIDER:" + owner);
      DataSource own = Objects.requireNonNull(jdbc.getDataSource());
      assertThat(
              new LedgerVerification(
                      JdbcClient.create(own), new Snapshot(new JdbcTransactionManager(own)))
                  .run())
          .filteredOn(check -> !check.holds())
          .extracting(LedgerVerification.Check::code)
          .containsExactly("rewards", "append-only");
      transaction.setRollbackOnly();
    });
  }

  @Test
  void theOwnerOfTheSnaptMayGetTheWholeDiscount() {
    tariff(
        "{\"discount\":{\"base\":\"SAVED\",\"denarii-per-megabyte\":0.5,\"cap\":0.3,\"beneficiary\":\"SHARER\"}}");
    submit(Reports.workedExample());
    assertThat(rig.balance(alice)).isEqualTo(-35_541_158);
    assertThat(balance(LedgerAccount.provider(owner))).isEqualTo(1_192_500);
  }

  @Test
  void aDelayAboveTheReferenceIsRefundedWithTheMeasurementThatShowsIt() {
    tariff("{\"refunds\":{\"DELAY\":0.25}}");
    submit(List.of(flow("skype-video", 2_550_000, 240, f -> f)));
    Map<String, Object> charge = charge();
    assertThat(charge.get("broken_promise")).isEqualTo("DELAY");
    assertThat(charge.get("promised")).isEqualTo(200.0);
    assertThat(charge.get("measured")).isEqualTo(240.0);
    long paid = (long) charge.get("charge_microdenarii");
    assertThat((long) charge.get("refund_microdenarii"))
        .isEqualTo((long) Math.rint(paid * 0.25))
        .isPositive();
    assertThat(rig.balance(alice)).isEqualTo(-(paid - (long) charge.get("refund_microdenarii")));
  }

  @Test
  void aDelayAtTheReferenceAndOneThatIsOnlyAssumedAreNotRefunded() {
    tariff("{\"refunds\":{\"DELAY\":0.25}}");
    submit(List.of(flow("skype-video", 2_550_000, 200, f -> f)));
    assertThat(charge().get("broken_promise")).isNull();
    rig.clock.advance(Duration.ofMinutes(1));
    rig.submit(
        Reports.report(
                "snapt-" + tag,
                "s-" + tag,
                1,
                1,
                alice,
                rig.clock.instant(),
                List.of(
                    flow(
                        "skype-video",
                        2_550_000,
                        900,
                        f -> f.setDelaySource(DelaySource.HALF_CONTROL_RTT))))
            .build());
    assertThat(
            rig.jdbc.queryForObject(
                "select count(*) from charge where account = ? and refund_microdenarii > 0",
                Integer.class,
                alice))
        .isZero();
  }

  @Test
  void aThroughputBelowTheReferenceIsRefundedOnlyIfTheSnaptSawTheFlowWait() {
    tariff("{\"refunds\":{\"THROUGHPUT\":0.5}}");
    UnaryOperator<FlowUsage.Builder> web = f -> f.setServiceClass(ServiceClass.HT_HD);
    int sequence = 0;
    for (Map.Entry<String, FlowUsage> one :
        List.of(
            Map.entry("THROUGHPUT", flow("web", 240_000, 40, f -> web.apply(f).setBusy(0.5))),
            Map.entry("null", flow("web", 240_000, 40, f -> web.apply(f).setBusy(0.49))),
            Map.entry("null", flow("web", 240_000, 40, web)),
            Map.entry("null", flow("web", 480_000, 40, f -> web.apply(f).setBusy(1.0))),
            Map.entry("null", flow("web", 240_000, 40, f -> upwards(web.apply(f).setBusy(1.0)))))) {
      rig.clock.advance(Duration.ofMinutes(1));
      rig.submit(
          Reports.report(
                  "snapt-" + tag,
                  "s-" + tag,
                  1,
                  sequence++,
                  alice,
                  rig.clock.instant(),
                  List.of(one.getValue()))
              .build());
      assertThat(
              String.valueOf(
                  rig.jdbc.queryForObject(
                      "select broken_promise from charge where account = ? order by id desc limit 1",
                      String.class,
                      alice)))
          .as(one.getValue().toString())
          .isEqualTo(one.getKey());
    }
  }

  private static FlowUsage.Builder upwards(FlowUsage.Builder flow) {
    DirectionUsage up = flow.getUp();
    return flow.setUp(flow.getDown()).setDown(up);
  }

  @Test
  void theCapOfAFlowLimitsItsChargeBeforeTheDiscount() {
    tariff("{\"caps\":{\"FLOW_INTERVAL\":10.0}}");
    submit(Reports.workedExample());
    assertThat(
            rig.jdbc.queryForList(
                "select charge_microdenarii from charge where account = ? order by id",
                Long.class,
                alice))
        .containsExactly(10_000_000L, 10_000_000L);
    assertThat(rig.balance(alice)).isEqualTo(-20_000_000 + 1_192_500);
  }
}
