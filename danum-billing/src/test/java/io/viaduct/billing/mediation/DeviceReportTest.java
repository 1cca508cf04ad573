package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.account.Credits;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.receipts.SealedStatements;
import io.viaduct.billing.settlement.Discrepancies.Discrepancy;
import io.viaduct.denarii.statement.StatementCheck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedDeviceReport;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

/// Reports of devices beside those of SNAPTs (ADR 0062), on a real PostgreSQL.
class DeviceReportTest {
  /// Net of the worked example, and without its discount, in micro-denarii.
  private static final long BY_SNAPT = -34_348_658;

  private static final long BY_DEVICE = -35_541_158;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private MediationRig rig = new MediationRig("owner-" + tag);

  @BeforeEach
  void open() {
    rig.openAccount(alice);
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  private UsageReport report(int sequence) {
    return Reports.report(
            "snapt-" + tag,
            "s-" + tag,
            1,
            sequence,
            alice,
            rig.clock.instant(),
            Reports.workedExample())
        .build();
  }

  private List<String> states() {
    return rig.jdbc.queryForList(
        "select state from device_report where account = ? order by id", String.class, alice);
  }

  private List<String> intervals() {
    return rig.jdbc.queryForList(
        "select regexp_replace(split_part(session_id, '-', 1), '[0-9]+', '#') || ' ' || state from charging_interval where account = ? order by id",
        String.class,
        alice);
  }

  private List<Discrepancy> discrepancies() {
    return rig.discrepancies.page(null, Long.MAX_VALUE, 1000).stream()
        .filter(each -> each.account().equals(alice))
        .toList();
  }

  private void pass(Duration time) {
    rig.clock.advance(time);
    rig.chargeByDevices();
    rig.settlement.settleDue(rig.clock.instant());
  }

  @Test
  void aReportOfTheDeviceIsProvisionalAndChargesNothing() {
    UsageReport report = report(0);
    assertThat(rig.submit(Reports.ofDevice(report, 0))).isEqualTo(ReportVerdict.PROVISIONAL);
    assertThat(rig.submit(Reports.ofDevice(report, 0))).isEqualTo(ReportVerdict.ALREADY_POSTED);
    pass(Duration.ofMinutes(59));
    assertThat(rig.balance(alice)).isZero();
    assertThat(rig.deviceReports.expected(alice).reports()).isEqualTo(1);
    assertThat(rig.deviceReports.expected(alice).expected().value()).isEqualTo(-BY_DEVICE);
  }

  @Test
  void theSnaptsReportIsChargedWhicheverComesFirst() {
    UsageReport first = report(0);
    rig.submit(Reports.ofDevice(first, 0));
    assertThat(rig.verdict(first)).isEqualTo(ReportVerdict.POSTED);
    UsageReport second = report(1);
    rig.verdict(second);
    assertThat(rig.submit(Reports.ofDevice(second, 0))).isEqualTo(ReportVerdict.POSTED);
    pass(Duration.ofHours(30));
    assertThat(rig.balance(alice)).isEqualTo(2 * BY_SNAPT);
    assertThat(states()).containsExactly("FINAL", "FINAL");
    assertThat(discrepancies()).isEmpty();
  }

  @Test
  void aLargeDifferenceIsADiscrepancyAndTheSnaptsReportStaysCharged() {
    UsageReport first = report(0);
    rig.submit(Reports.ofDevice(first, 3_000_000));
    rig.verdict(first);
    UsageReport second = report(1);
    rig.verdict(second);
    rig.submit(Reports.ofDevice(second, 3_000_000));
    UsageReport third = report(2);
    rig.verdict(third);
    rig.submit(Reports.ofDevice(third, 1_000_000)); // within what may be in flight
    assertThat(states()).containsExactly("DISCREPANT", "DISCREPANT", "FINAL");
    assertThat(discrepancies())
        .hasSize(2)
        .allSatisfy(each -> {
          assertThat(each.snaptBytes()).isEqualTo(3_975_000);
          assertThat(each.deviceBytes()).isEqualTo(6_975_000);
        });
    assertThat(rig.balance(alice)).isEqualTo(3 * BY_SNAPT);
  }

  @Test
  void aReportOfTheDeviceInTheLastMomentIsTakenBackFromWhereItWasPosted() {
    UsageReport report = report(0);
    rig.clock.advance(MediationRig.ADJUSTMENT);
    assertThat(rig.submit(Reports.ofDevice(report, 0))).isEqualTo(ReportVerdict.PROVISIONAL);
    pass(Duration.ZERO);
    assertThat(rig.balance(alice)).isEqualTo(BY_DEVICE);
    assertThat(rig.broken()).isEmpty();
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.POSTED);
    assertThat(rig.balance(alice)).isEqualTo(BY_SNAPT);
  }

  @Test
  void aStatementShowsTheDevicesReportsThatWereBilled() {
    UsageReport replaced = report(0);
    rig.submit(Reports.ofDevice(replaced, 0));
    rig.submit(Reports.ofDevice(report(1), 0));
    pass(Duration.ofMinutes(65));
    rig.verdict(replaced);
    StatementCheck.Result statement = SealedStatements.check(alice, rig.clock);
    assertThat(statement.findings()).isEmpty();
    assertThat(statement.ofDevices()).as("bills by the device's own report").isEqualTo(2);
    assertThat(statement.balance()).isEqualTo(rig.balance(alice));
  }

  @Test
  void aLostReportOfTheSnaptIsChargedByTheDevicesAndReplacedWhenItComes() {
    UsageReport report = report(0);
    rig.submit(Reports.ofDevice(report, 0));
    pass(Duration.ofMinutes(61));
    assertThat(rig.balance(alice)).isEqualTo(BY_DEVICE);
    assertThat(intervals()).containsExactly("device:#:s FINAL_PROVISIONAL");
    pass(Duration.ofHours(20));
    assertThat(rig.balance(alice)).isEqualTo(BY_DEVICE);

    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.POSTED);
    assertThat(rig.balance(alice)).isEqualTo(BY_SNAPT);
    assertThat(intervals()).containsExactly("device:#:s VOID", "s ADJUSTED");
    assertThat(states()).containsExactly("FINAL");
  }

  @Test
  void aReportThatNeverComesLeavesTheDevicesChargeWhichIsSettled() {
    UsageReport report = report(0);
    rig.submit(Reports.ofDevice(report, 0));
    pass(Duration.ofHours(2));
    pass(Duration.ofHours(23));
    assertThat(intervals()).containsExactly("device:#:s FINAL");
    assertThat(states()).containsExactly("FINAL");
    assertThat(rig.balance(alice)).isEqualTo(BY_DEVICE);
  }

  @Test
  void aReportThatWaitedInABrokerForTooLongIsNotChargedBesideTheDevices() {
    UsageReport report = report(0);
    var request = Reports.request(rig.clock.instant(), List.of(report));
    List<ReportIntake.Arrived> arrived =
        List.of(new ReportIntake.Arrived(request.getReports(0), rig.clock.instant()));
    rig.submit(Reports.ofDevice(report, 0));
    pass(Duration.ofHours(25));
    assertThat(rig.intake.take(arrived, List.of(request.getTokenKeysList())))
        .singleElement()
        .satisfies(ack -> assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.REJECTED));
    assertThat(rig.balance(alice)).isEqualTo(BY_DEVICE);
  }

  @Test
  void chargesByTheDeviceAloneStayWithinTheirBound() {
    for (int sequence = 0; sequence < 5; sequence++) {
      rig.submit(Reports.ofDevice(report(sequence), 0));
    }
    UsageReport fifth = report(4);
    pass(Duration.ofHours(2));
    assertThat(states())
        .containsExactly(
            "FINAL_PROVISIONAL",
            "FINAL_PROVISIONAL",
            "FINAL_PROVISIONAL",
            "UNCHARGED",
            "UNCHARGED");
    assertThat(rig.balance(alice)).isEqualTo(3 * BY_DEVICE);
    rig.verdict(
        fifth.toBuilder()
            .setStartMs(fifth.getStartMs())
            .build()); // the report of an uncharged interval comes
    assertThat(rig.balance(alice)).isEqualTo(3 * BY_DEVICE + BY_SNAPT);
  }

  @Test
  void nothingIsChargedWhileAnOperatorHasToDecideAboutTheSnaptsReport() {
    UsageReport report = report(0);
    rig.client.sql("update account set state = 'suspended' where id = ?").param(alice).update();
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.HELD);
    rig.client.sql("update account set state = 'active' where id = ?").param(alice).update();
    rig.submit(Reports.ofDevice(report, 0));
    pass(Duration.ofHours(2));
    assertThat(states()).containsExactly("PROVISIONAL");
    assertThat(rig.verdict(report)).as("the same report again").isEqualTo(ReportVerdict.POSTED);
    assertThat(rig.balance(alice)).isEqualTo(BY_SNAPT);
    assertThat(states()).containsExactly("FINAL");
  }

  @Test
  void aChargeThatMayBeReplacedIsNotRefunded() {
    rig.submit(Reports.ofDevice(report(0), 0));
    pass(Duration.ofHours(2));
    long charge =
        rig.jdbc.queryForObject("select min(id) from charge where account = ?", Long.class, alice);
    assertThat(refund(charge)).isEqualTo(new Credits.Result.ExceedsCharge(MicroDenarii.ZERO));
    assertThatThrownBy(() ->
            rig.jdbc.update(
                "insert into credit (idempotency_key, account, amount_microdenarii, reason, charge_id, created_by,"
                    + " created_at, transaction_id) select 'k' || ?, ?, 1, 'r', ?, 'operator', now(), max(id) from ledger_transaction",
                tag,
                alice,
                charge))
        .isInstanceOf(DataAccessException.class)
        .hasMessageContaining("may still be replaced");
    pass(Duration.ofHours(25));
    assertThat(refund(charge)).isInstanceOf(Credits.Result.Posted.class);
  }

  private Credits.Result refund(long charge) {
    return rig.credits.post(
        new Credits.Request(
            "refund-" + tag, alice, new MicroDenarii(1), "sorry", charge, "operator"),
        rig.clock.instant());
  }

  @Test
  void aReportCannotBillAnotherAccountNorTakeThePlaceOfItsReport() {
    String mallory = "mallory-" + tag;
    rig.openAccount(mallory);
    UsageReport report = report(0);
    UsageReport forged = report.toBuilder().setAccount(mallory).build();
    // Mallory names alice's session, with a token of her own.
    assertThat(rig.submit(Reports.ofDevice(forged, 0))).isEqualTo(ReportVerdict.PROVISIONAL);
    assertThat(rig.submit(Reports.ofDevice(report, 0))).isEqualTo(ReportVerdict.PROVISIONAL);
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.POSTED);
    pass(Duration.ofHours(2));
    assertThat(rig.balance(alice)).isEqualTo(BY_SNAPT);
    assertThat(rig.balance(mallory)).isEqualTo(BY_DEVICE);
    // A token of mallory's under a report about alice.
    SignedDeviceReport good = Reports.ofDevice(report(1), 0);
    SignedDeviceReport stolen = good.toBuilder().setToken(Reports.PROVEN.token(forged)).build();
    assertThat(rig.submit(stolen)).isEqualTo(ReportVerdict.REJECTED);
    SignedDeviceReport other =
        good.toBuilder().setToken(Reports.PROVEN.otherDevice().token(report(1))).build();
    assertThat(rig.submit(other)).as("signed by another device").isEqualTo(ReportVerdict.REJECTED);
    assertThat(rig.submit(good.toBuilder().clearToken().build())).isEqualTo(ReportVerdict.REJECTED);
  }

  @Test
  void twoAccountsThatNameOneSessionAreEachChargedForTheirOwnReport() {
    String mallory = "mallory-" + tag;
    rig.openAccount(mallory);
    UsageReport report = report(0);
    rig.submit(Reports.ofDevice(report.toBuilder().setAccount(mallory).build(), 0));
    rig.submit(Reports.ofDevice(report, 0));
    pass(Duration.ofHours(2));
    assertThat(rig.balance(alice)).isEqualTo(BY_DEVICE);
    assertThat(rig.balance(mallory)).isEqualTo(BY_DEVICE);
  }

  @Test
  void theFirstReportOfAnIntervalStands() {
    UsageReport report = report(0);
    rig.submit(Reports.ofDevice(report, 0));
    assertThat(rig.submit(Reports.ofDevice(report, 1))).isEqualTo(ReportVerdict.CONFLICT);
    rig.clock.advance(Duration.ofHours(25));
    assertThat(rig.submit(Reports.ofDevice(report, 0))).isEqualTo(ReportVerdict.ALREADY_POSTED);
    assertThat(rig.submit(Reports.ofDevice(report.toBuilder().setSequence(1).build(), 0)))
        .as("too late")
        .isEqualTo(ReportVerdict.REJECTED);
  }

  /// Events of an interval, in any order. Each report has two copies.
  private enum Event {
    SNAPT,
    DEVICE,
    CHARGE,
    RESTART
  }

  @Test
  void anyInterleavingOfBothReportsWithCopiesLossesAndRestartsGivesTheSameBalance() {
    int runs = 0;
    for (int losses = 0; losses < 4; losses++) {
      List<Event> events = new ArrayList<>(List.of(Event.CHARGE, Event.RESTART));
      boolean hasSnapt = (losses & 1) == 0;
      boolean hasDevice = (losses & 2) == 0;
      if (hasSnapt) {
        events.addAll(List.of(Event.SNAPT, Event.SNAPT));
      }
      if (hasDevice) {
        events.addAll(List.of(Event.DEVICE, Event.DEVICE));
      }
      for (List<Event> order : orders(events)) {
        UsageReport report = report(runs++);
        long before = rig.balance(alice);
        order.forEach(event -> happen(event, report));
        pass(Duration.ofHours(25)); // every time is over
        assertThat(rig.balance(alice) - before)
            .as(order.toString())
            .isEqualTo(hasSnapt ? BY_SNAPT : hasDevice ? BY_DEVICE : 0);
      }
    }
    assertThat(runs).isEqualTo(180 + 12 + 12 + 2);
    assertThat(discrepancies()).isEmpty();
  }

  private void happen(Event event, UsageReport report) {
    switch (event) {
      case SNAPT ->
          assertThat(rig.verdict(report)).isIn(ReportVerdict.POSTED, ReportVerdict.ALREADY_POSTED);
      case DEVICE ->
          assertThat(rig.submit(Reports.ofDevice(report, 0)))
              .isIn(ReportVerdict.PROVISIONAL, ReportVerdict.POSTED, ReportVerdict.ALREADY_POSTED);
      case CHARGE -> {
        rig.clock.advance(Duration.ofMinutes(61));
        rig.chargeByDevices();
      }
      case RESTART -> rig = rig.another();
    }
  }

  // All different orders of the events.
  private static List<List<Event>> orders(List<Event> events) {
    if (events.isEmpty()) {
      return List.of(List.of());
    }
    List<List<Event>> all = new ArrayList<>();
    for (Event first : events.stream().distinct().toList()) {
      List<Event> rest = new ArrayList<>(events);
      rest.remove(first);
      for (List<Event> tail : orders(rest)) {
        List<Event> order = new ArrayList<>(List.of(first));
        order.addAll(tail);
        all.add(order);
      }
    }
    return all;
  }
}
