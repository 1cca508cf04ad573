package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.Credits;
import io.viaduct.billing.cdr.ExportedRecords;
import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.RatedReport;
import io.viaduct.billing.receipts.SealedStatements;
import io.viaduct.billing.rerating.Rerating;
import io.viaduct.billing.rerating.ReratingBatch;
import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.rerating.Reratings.Begun;
import io.viaduct.billing.settlement.ChargedReport;
import io.viaduct.billing.settlement.ChargedReports;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.Terms;
import io.viaduct.denarii.statement.StatementCheck;
import io.viaduct.usage.v1.UsageReport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/// Bills that are made again, on a real PostgreSQL, with tariffs of their own far ahead.
class ReratingTest {
  private static final Evidence.Decision OLGA = new Evidence.Decision("operator", "a test");

  /// Net of the worked example under the tariff in force, and under the corrected one, which adds
  /// half a denarius per minute.
  private static final long NET = 34_348_658;

  private static final long CORRECTED_NET = NET + 500_000;

  /// Net of its first flow.
  private static final long FIRST_NET = 12_745_279;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final String bob = "bob-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);
  private Instant day = Instant.EPOCH;
  private int corrected;

  @BeforeEach
  void open() {
    rig.openAccount(alice);
    rig.openAccount(bob);
    // Before those of other tests of this database, and each in a time of its own.
    rig.clock.advance(Duration.ofDays(365L * 20 + Math.floorMod(tag.hashCode(), 3000)));
    rig.tariffs.add(
        SeedTariff.at(OperatingPoint.MEASURED),
        rig.clock.instant(),
        "operator",
        rig.clock.instant());
    day = rig.clock.instant().truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS);
    moveTo(day.plusSeconds(120)); // the first reports are not ahead of the clock
    correct("{\"fees\":{\"PER_MINUTE\":0.5}}");
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
    for (String account : List.of(alice, bob)) {
      StatementCheck.Result statement = SealedStatements.check(account, rig.clock);
      assertThat(statement.findings()).isEmpty();
      assertThat(statement.balance()).isEqualTo(rig.balance(account));
    }
  }

  private void correct(String changes) {
    Instant later = rig.clock.instant().plus(Duration.ofDays(365L * 300));
    corrected =
        rig.tariffs
            .add(
                SeedTariff.at(OperatingPoint.MEASURED, changes),
                later,
                "operator",
                rig.clock.instant())
            .version();
  }

  private void moveTo(Instant time) {
    rig.clock.advance(Duration.between(rig.clock.instant(), time));
  }

  private UsageReport report(String account, int sequence) {
    return Reports.report(
            "snapt-" + tag,
            "s-" + account,
            1,
            sequence,
            account,
            day.plusSeconds(60L * (sequence + 1)),
            Reports.workedExample())
        .build();
  }

  private ReratingOrder order(String id, @Nullable String account, @Nullable ServiceClass only) {
    return new ReratingOrder(
        id + "-" + tag,
        day,
        day.plus(1, ChronoUnit.DAYS),
        account,
        only,
        corrected,
        "the fee was forgotten",
        "operator");
  }

  private Rerating run(ReratingOrder order) {
    rig.reratings.begin(order, rig.clock.instant());
    rig.rerating.workOff(rig.clock.instant());
    return rig.reratings.find(order.id()).orElseThrow();
  }

  private List<Long> charges(String account) {
    return rig.jdbc.queryForList(
        "select id from charge where account = ? order by id", Long.class, account);
  }

  private BillLines posted(long charge, int revision) {
    return new ChargedReports(rig.client).find(charge, revision).orElseThrow().posted();
  }

  @Test
  void everyStateOfAnIntervalGetsTheDifferenceAndKeepsItsEarlierBill() {
    rig.submit(report(alice, 0)); // becomes final
    moveTo(day.plus(1, ChronoUnit.HOURS));
    rig.settlement.settleDue(rig.clock.instant());
    rig.submit(report(alice, 1)); // late: adjusted
    rig.submit(Reports.unsigned(report(alice, 59))); // provisional
    rig.submit(report(alice, 58)); // corrected, in its grace time
    assertThat(rig.balance(alice)).isEqualTo(-4 * NET);

    Rerating run = run(order("all", alice, null));

    assertThat(run.state()).isEqualTo(Rerating.State.DONE);
    assertThat(run.changed()).isEqualTo(4);
    assertThat(run.difference().accessFee().value()).isEqualTo(4 * 500_000);
    assertThat(rig.balance(alice)).isEqualTo(-4 * CORRECTED_NET);
    for (long charge : charges(alice)) {
      assertThat(posted(charge, 0).net().value()).isEqualTo(NET);
      assertThat(posted(charge, 1).net().value()).isEqualTo(CORRECTED_NET);
    }
    moveTo(day.plus(2, ChronoUnit.HOURS));
    rig.settlement.settleDue(rig.clock.instant());
  }

  @Test
  void aSettledIntervalIsSettledAgainWithTheProvidersShareOfTheNewCharge() {
    rig.submit(report(alice, 0));
    moveTo(day.plus(1, ChronoUnit.HOURS));
    rig.settlement.settleDue(rig.clock.instant());
    long before = rig.ledger.balance(LedgerAccount.provider("owner-" + tag)).value();
    correct("{\"caps\":{\"FLOW_INTERVAL\":9.0}}");

    run(order("weight", alice, null));

    long charge = posted(charges(alice).getFirst(), 1).charge().value();
    assertThat(charge).isNotEqualTo(35_541_158);
    assertThat(rig.ledger.balance(LedgerAccount.provider("owner-" + tag)).value())
        .isNotEqualTo(before)
        .isBetween(charge / 10, charge / 10 + 1);
  }

  @Test
  void walletsPayWhatABillIsRaisedByAndGetBackWhatItIsLoweredBy() {
    rig.grant(tag, alice, 13_000_000, day.plus(10, ChronoUnit.DAYS));
    rig.submit(
        Reports.report(
                "snapt-" + tag,
                "s-" + alice,
                1,
                0,
                alice,
                day.plusSeconds(60),
                Reports.workedExample().subList(0, 1))
            .build());
    moveTo(day.plus(1, ChronoUnit.HOURS));
    assertThat(rig.rests(alice)).containsExactly(13_000_000 - FIRST_NET);

    run(order("raised", alice, null));
    assertThat(rig.rests(alice)).as("it had a part of what the fee was").containsExactly(0L);
    assertThat(rig.balance(alice)).isEqualTo(13_000_000 - FIRST_NET - 500_000);

    correct("{\"fees\":{\"PER_MINUTE\":0.3}}");
    run(order("lowered", alice, null));
    assertThat(rig.rests(alice)).as("prepaid money paid last").containsExactly(0L);

    correct("{\"fees\":{\"PER_MINUTE\":0.1}}");
    run(order("lowered-more", alice, null));
    assertThat(rig.balance(alice)).isEqualTo(13_000_000 - FIRST_NET - 100_000);
    assertThat(rig.rests(alice)).containsExactly(rig.balance(alice));
  }

  @Test
  void theSameOrderTwicePostsNothingAndAnotherOrderWithItsIdIsRefused() {
    rig.submit(report(alice, 0));
    moveTo(day.plus(1, ChronoUnit.HOURS));
    run(order("once", alice, null));
    int transactions = transactions();
    assertThat(rig.reratings.begin(order("once", alice, null), rig.clock.instant()))
        .isInstanceOf(Begun.Known.class);
    rig.rerating.workOff(rig.clock.instant());
    assertThat(transactions()).isEqualTo(transactions);
    assertThat(rig.reratings.begin(order("once", bob, null), rig.clock.instant()))
        .isInstanceOf(Begun.IdTaken.class);
    // Another run finds every bill as it should be.
    assertThat(run(order("again", alice, null)).same()).isEqualTo(1);
    assertThat(transactions()).isEqualTo(transactions);
  }

  private int transactions() {
    return rig.jdbc.queryForObject(
        "select count(*) from ledger_transaction t join charging_interval i on i.id = t.interval_id"
            + " where i.snapt_id = ?",
        Integer.class,
        "snapt-" + tag);
  }

  @Test
  void aStoppedRunPostsNothingUntilItIsResumed() {
    rig.submit(report(alice, 0));
    moveTo(day.plus(1, ChronoUnit.HOURS));
    ReratingOrder order = order("stop", alice, null);
    rig.reratings.begin(order, rig.clock.instant());
    rig.rerating.work(rig.clock.instant()); // makes its list
    assertThat(rig.reratings.stop(order.id()).orElseThrow().state())
        .isEqualTo(Rerating.State.STOPPED);
    rig.rerating.workOff(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-NET);
    assertThat(rig.reratings.begin(order("other", null, null), rig.clock.instant()))
        .as("an overlapping run")
        .isEqualTo(new Begun.Overlaps(order.id()));
    rig.reratings.resume(order.id());
    rig.rerating.workOff(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-CORRECTED_NET);
    assertThat(rig.reratings.stop(order.id()).orElseThrow().state()).isEqualTo(Rerating.State.DONE);
  }

  @Test
  void aProcessThatDiesBeforeItsCommitLeavesNothingAndTheNextGoesOn() {
    rig.submit(report(alice, 0));
    moveTo(day.plus(1, ChronoUnit.HOURS));
    ReratingOrder order = order("killed", alice, null);
    rig.reratings.begin(order, rig.clock.instant());
    rig.rerating.work(rig.clock.instant());
    new ReratingBatch(
            new DyingTransaction(SharedDatabase.transactions()),
            rig.jdbc,
            rig.tariffs,
            rig.surcharges,
            rig.ledger,
            (_, _) -> {})
        .work(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-NET);
    assertThat(rig.reratings.find(order.id()).orElseThrow().waiting()).isEqualTo(1);
    rig.rerating.workOff(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-CORRECTED_NET);
  }

  /// Ends each transaction as the database does when its client dies.
  private static final class DyingTransaction extends TransactionTemplate {
    private static final long serialVersionUID = 1L;

    DyingTransaction(PlatformTransactionManager transactions) {
      super(transactions);
    }

    @Override
    public <T> T execute(TransactionCallback<T> action) {
      return super.execute(status -> {
        T result = action.doInTransaction(status);
        status.setRollbackOnly();
        return result;
      });
    }
  }

  @Test
  void reportsThatComeAfterTheRunAndReleasedOnesGetTheCorrectedBill() {
    moveTo(day.plus(1, ChronoUnit.HOURS));
    UsageReport held = report("carol-" + tag, 3);
    rig.submit(held);
    Rerating run = run(order("early", null, null));
    assertThat(run.state()).isEqualTo(Rerating.State.DONE);
    assertThat(run.changed()).isZero();

    rig.submit(report(alice, 0));
    assertThat(rig.balance(alice)).isEqualTo(-NET);
    assertThat(rig.reratings.find(run.order().id()).orElseThrow().state())
        .isEqualTo(Rerating.State.RUNNING);
    rig.openAccount("carol-" + tag);
    rig.submit(held);
    rig.rerating.workOff(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-CORRECTED_NET);
    assertThat(rig.balance("carol-" + tag)).isEqualTo(-CORRECTED_NET);
  }

  @Test
  void aChargeThatWasRefundedByMoreThanItsNewBillKeepsItsBill() {
    rig.submit(report(alice, 0));
    rig.submit(report(bob, 0));
    long charge = charges(alice).getFirst();
    new Credits(SharedDatabase.transaction(), rig.client, rig.ledger)
        .post(
            new Credits.Request(
                "refund-" + tag, alice, new MicroDenarii(10_000_000), "sorry", charge, "operator"),
            rig.clock.instant());
    correct("{\"caps\":{\"FLOW_INTERVAL\":1.0}}");
    moveTo(day.plus(1, ChronoUnit.HOURS));

    Rerating run = run(order("refunded", null, null));

    assertThat(run.refunded()).isEqualTo(1);
    assertThat(run.keptIntervals()).containsExactly("snapt-" + tag + "/s-" + alice + "/1/0");
    assertThat(rig.balance(alice)).isEqualTo(-NET + 10_000_000);
    assertThat(rig.balance(bob)).isGreaterThan(-2_000_001);
  }

  @Test
  void aRunForOneClassLeavesTheBillsOfOtherClasses() {
    rig.submit(report(alice, 0));
    moveTo(day.plus(1, ChronoUnit.HOURS));
    assertThat(run(order("other-class", alice, ServiceClass.LT_LD)).same()).isEqualTo(1);
    assertThat(rig.balance(alice)).isEqualTo(-NET);
    assertThat(run(order("class", alice, ServiceClass.HT_LD)).changed()).isEqualTo(1);
    assertThat(rig.balance(alice)).isEqualTo(-CORRECTED_NET);
  }

  @Test
  void aVoidedIntervalCostsNothingAfterARerating() {
    rig.submit(Reports.unsigned(report(alice, 0)));
    moveTo(day.plus(1, ChronoUnit.HOURS));
    run(order("void", alice, null));
    assertThat(rig.balance(alice)).isEqualTo(-CORRECTED_NET);
    moveTo(day.plus(2, ChronoUnit.DAYS));
    long interval =
        rig.jdbc.queryForObject(
            "select id from charging_interval where account = ?", Long.class, alice);
    assertThat(
            rig.unsigned.decide(
                interval, UnsignedIntervals.Verdict.VOIDED, OLGA, rig.clock.instant()))
        .get()
        .isInstanceOf(UnsignedIntervals.Outcome.Done.class);
    assertThat(rig.balance(alice)).isZero();
    assertThat(run(order("after", alice, null)).voided()).isEqualTo(1);
    assertThat(rig.balance(alice)).isZero();
  }

  @Test
  void capsAreComparedAgainWithTheCorrectedTariff() {
    rig.submit(report(alice, 0));
    moveTo(day.plus(4, ChronoUnit.DAYS));
    rig.settlement.settleDue(rig.clock.instant());
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.balance(alice)).as("no cap was in force").isEqualTo(-NET);

    correct("{\"caps\":{\"ACCOUNT_DAY\":20.0}}");
    assertThat(run(order("capped", alice, null)).same())
        .as("nothing but the caps differs, so no bill does")
        .isEqualTo(1);
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-20_000_000);
    assertThat(capCredit("capped")).isEqualTo(NET - 20_000_000);

    correct("{\"caps\":{\"ACCOUNT_DAY\":20.0},\"fees\":{\"PER_MINUTE\":0.5}}");
    run(order("capped-fee", alice, null));
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-20_000_000);

    correct("{\"caps\":{\"ACCOUNT_DAY\":25.0}}");
    rig.reratings.begin(order("capped-less", alice, null), rig.clock.instant());
    rig.rerating.work(rig.clock.instant()); // makes its list
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.balance(alice)).as("caps wait for the end of the run").isEqualTo(-20_000_000);
    rig.rerating.workOff(rig.clock.instant());
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-25_000_000);
    assertThat(
            rig.jdbc.queryForList(
                "select amount_microdenarii from cap_credit where account = ? order by revision",
                Long.class,
                alice))
        .containsExactly(NET - 20_000_000, 500_000L, -5_500_000L);
    assertThat(capCredit("capped")).isEqualTo(NET - 20_000_000);
    assertThat(capCredit("capped-fee")).isEqualTo(500_000);
    assertThat(capCredit("capped-less")).isEqualTo(-5_500_000);
  }

  @Test
  void aWalletGetsBackWhatACorrectedCapGivesAndPaysWhatAHigherOneTakesAgain() {
    rig.grant(tag, alice, 50_000_000, day.plus(30, ChronoUnit.DAYS));
    rig.submit(report(alice, 0));
    moveTo(day.plus(4, ChronoUnit.DAYS));
    rig.settlement.settleDue(rig.clock.instant());
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.rests(alice)).containsExactly(50_000_000 - NET);
    correct("{\"caps\":{\"ACCOUNT_DAY\":20.0}}");
    run(order("wallet-capped", alice, null));
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.rests(alice)).containsExactly(30_000_000L);
    correct("{\"caps\":{\"ACCOUNT_DAY\":25.0}}");
    run(order("wallet-capped-less", alice, null));
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.rests(alice)).containsExactly(25_000_000L);
    assertThat(rig.balance(alice)).isEqualTo(25_000_000);
  }

  private long capCredit(String id) {
    return rig.reratings.find(id + "-" + tag).orElseThrow().capCredit().value();
  }

  @Test
  void aCapOfTheDayThatARunCorrectsCountsForWhatIsNotInItsTime() {
    rig.submit(report(alice, 5));
    moveTo(day.plus(4, ChronoUnit.DAYS));
    rig.settlement.settleDue(rig.clock.instant());
    rig.caps.creditDue(rig.clock.instant());
    correct("{\"caps\":{\"ACCOUNT_DAY\":20.0}}");
    Rerating run =
        run(
            new ReratingOrder(
                "midnight-" + tag,
                day.minusSeconds(60),
                day.plusSeconds(30), // before the interval, which begins minutes later
                alice,
                null,
                corrected,
                "the cap was forgotten",
                "operator"));
    assertThat(run.changed() + run.same()).isZero();
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-20_000_000);
  }

  @Test
  void filesOfRecordsHaveTheBillThatCountsAndEachLaterOne(@TempDir Path directory)
      throws Exception {
    rig.jdbc.update("update cdr_export set enabled = true");
    try {
      int first = TariffBook.inForce(rig.tariffs.versions(), day).version();
      rig.submit(report(alice, 0)); // becomes final, and is made again after its export
      rig.submit(report(bob, 0)); // is made again first
      moveTo(day.plus(1, ChronoUnit.HOURS));
      run(order("before", bob, null));
      rig.settlement.settleDue(rig.clock.instant());
      assertThat(written(alice, directory)).containsExactly(List.of(0, NET, first, "FINAL"));
      assertThat(written(bob, directory))
          .containsExactly(List.of(1, CORRECTED_NET, corrected, "FINAL"));

      run(order("after", alice, null));
      assertThat(written(alice, directory))
          .containsExactly(
              List.of(0, NET, first, "FINAL"), List.of(1, CORRECTED_NET, corrected, "FINAL"));
      assertThat(written(bob, directory)).hasSize(1);
      assertThat(ExportedRecords.areMadeAgain(directory)).isTrue();
    } finally {
      rig.jdbc.update("update cdr_export set enabled = false");
    }
  }

  /// Returns the bills in the files: revision, sum of the flows, version of the tariff, state.
  private static List<List<Object>> written(String account, Path directory) throws IOException {
    Map<List<String>, Long> bills = new LinkedHashMap<>();
    for (JsonNode record : ExportedRecords.of(account, directory)) {
      bills.merge(
          List.of(
              record.get("revision").asString(),
              record.get("tariffVersion").asString(),
              record.get("state").asString()),
          Long.parseLong(record.get("netMicrodenarii").asString()),
          Long::sum);
    }
    return bills.entrySet().stream()
        .map(bill ->
            List.<Object>of(
                Integer.parseInt(bill.getKey().get(0)),
                bill.getValue(),
                Integer.parseInt(bill.getKey().get(1)),
                bill.getKey().get(2)))
        .toList();
  }

  @Test
  void eachBillIsExplainedByTheTariffThatMadeIt() {
    rig.submit(report(alice, 0));
    moveTo(day.plus(1, ChronoUnit.HOURS));
    run(order("explained", alice, null));
    long charge = charges(alice).getFirst();
    ChargedReports reports = new ChargedReports(rig.client);
    for (int revision = 0; revision <= 1; revision++) {
      ChargedReport report = reports.find(charge, revision).orElseThrow();
      Tariff tariff = rig.tariffs.versions().get(report.tariffVersion() - 1).tariff();
      assertThat(RatedReport.of(report.measures(), report.intervalMs(), Terms.of(tariff)).lines())
          .as("revision " + revision)
          .isEqualTo(report.posted());
    }
    assertThat(reports.find(charge).orElseThrow().tariffVersion()).isEqualTo(corrected);
    assertThat(reports.find(charge, 2)).isEmpty();
  }

  @Test
  void reportsRefundsSettlementsAndRunsAtTheSameTimeLeaveTheCorrectedBills() throws Exception {
    int reports = 40;
    moveTo(day.plusSeconds(60L * reports + 60)); // some are late, some in their grace time
    Instant now = rig.clock.instant();
    Credits credits = new Credits(SharedDatabase.transaction(), rig.client, rig.ledger);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (String account : List.of(alice, bob)) {
        all.add(
            threads.submit(() -> {
              for (int i = 0; i < reports; i++) {
                rig.submit(report(account, i));
              }
            }));
      }
      all.add(
          threads.submit(() -> {
            for (int i = 0; i < 30; i++) {
              rig.settlement.settleDue(now.plus(MediationRig.GRACE));
            }
          }));
      all.add(
          threads.submit(() -> {
            for (int i = 0; i < 8; i++) {
              // Refused while the one before goes on.
              rig.reratings.begin(order("parallel-" + i, null, null), now);
              rig.rerating.workOff(now);
            }
          }));
      all.add(
          threads.submit(() -> {
            for (int i = 0; i < 30; i++) {
              rig.rerating.workOff(now);
            }
          }));
      all.add(
          threads.submit(() -> {
            for (int i = 0; i < 10; i++) {
              credits.post(
                  new Credits.Request(
                      tag + "-" + i, bob, new MicroDenarii(1000), "sorry", null, "operator"),
                  now);
            }
          }));
      for (Future<?> each : all) {
        each.get();
      }
    }
    rig.rerating.workOff(now);
    run(order("last", null, null));
    assertThat(rig.balance(alice)).isEqualTo(-reports * CORRECTED_NET);
    assertThat(rig.balance(bob)).isEqualTo(-reports * CORRECTED_NET + 10_000);
  }
}
