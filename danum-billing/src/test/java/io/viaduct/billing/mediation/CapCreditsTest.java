package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.SharedDatabase;
import io.viaduct.billing.account.Credits;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.settlement.Evidence;
import io.viaduct.billing.settlement.UnsignedIntervals;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Caps of an hour and a day, on a real PostgreSQL, with a tariff of their own far ahead.
class CapCreditsTest {
  /// A flow of the worked example: what it costs in a minute without discount.
  private static final long VIDEO = 13_510_279;

  private static final String CAPS = "{\"caps\":{\"APPLICATION_HOUR\":20.0,\"ACCOUNT_DAY\":50.0}}";

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);
  private Instant day = Instant.EPOCH;

  @BeforeEach
  void open() {
    rig.openAccount(alice);
    rig.clock.advance(Duration.ofDays(365L * 40));
    rig.tariffs.add(
        SeedTariff.at(OperatingPoint.OFFERED, CAPS),
        rig.clock.instant(),
        "operator",
        rig.clock.instant());
    day = rig.clock.instant().truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS);
    moveTo(day);
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  private void moveTo(Instant time) {
    rig.clock.advance(Duration.between(rig.clock.instant(), time));
  }

  private UsageReport video(String application, int sequence, Instant start) {
    FlowUsage flow = Reports.flow(1, application, 2_550_000, 2_550_000, 140);
    return Reports.report(
            "snapt-" + tag, "s-" + tag, 1, sequence, alice, start.plusSeconds(60), List.of(flow))
        .build();
  }

  // Beyond the longest interval and the adjustment time.
  private void endTheDay() {
    rig.settlement.settleDue(rig.clock.instant());
    moveTo(day.plus(1, ChronoUnit.DAYS).plus(MediationRig.ADJUSTMENT).plus(Duration.ofDays(1)));
    rig.settlement.settleDue(rig.clock.instant());
  }

  private List<Long> credits() {
    return rig.jdbc.queryForList(
        "select paid_microdenarii - limit_microdenarii from cap_credit where account = ?"
            + " order by began_at, application desc",
        Long.class,
        alice);
  }

  /// Three minutes of one application in the first hour, one in the second, and two of another.
  private List<UsageReport> reports() {
    Instant second = day.plus(1, ChronoUnit.HOURS);
    return List.of(
        video("skype-video", 0, day),
        video("skype-video", 1, day.plusSeconds(60)),
        video("skype-video", 2, day.plusSeconds(3540)),
        video("skype-video", 3, second),
        video("teamviewer", 4, second.plusSeconds(60)),
        video("teamviewer", 5, second.plusSeconds(120)));
  }

  @Test
  void whatWasPaidAboveTheCapsIsGivenBackOnceInAnyOrderOfArrival() {
    List<UsageReport> shuffled = new ArrayList<>(reports());
    Collections.shuffle(shuffled, new Random(20));
    moveTo(day.plus(3, ChronoUnit.HOURS));
    shuffled.forEach(rig::submit);
    assertThat(rig.balance(alice)).isEqualTo(-6 * VIDEO);
    rig.caps.creditDue(rig.clock.instant());
    assertThat(credits()).as("the day is not over").isEmpty();
    endTheDay();
    assertThat(rig.caps.creditDue(rig.clock.instant())).contains(alice);
    long first = 3 * VIDEO - 20_000_000;
    long other = 2 * VIDEO - 20_000_000;
    long whole = 20_000_000 + VIDEO + 20_000_000 - 50_000_000;
    assertThat(credits()).containsExactlyInAnyOrder(first, other, whole);
    assertThat(rig.balance(alice)).isEqualTo(-50_000_000);
    assertThat(rig.caps.creditDue(rig.clock.instant())).doesNotContain(alice);
    assertThat(rig.balance(alice)).isEqualTo(-50_000_000);
  }

  @Test
  void whatACapGaveBackOpensNoOtherDayAndIsNotRefundedAgain() {
    moveTo(day.plus(3, ChronoUnit.HOURS));
    reports().forEach(rig::submit);
    endTheDay();
    rig.caps.creditDue(rig.clock.instant());
    assertThat(
            rig.jdbc.queryForList(
                "select spent_microdenarii from spending where account = ?", Long.class, alice))
        .as("by day of the report")
        .containsExactly(6 * VIDEO);
    List<Long> charges =
        rig.jdbc.queryForList(
            "select id from charge where account = ? order by started_at", Long.class, alice);
    assertThat(refund(charges.getFirst(), VIDEO)).isInstanceOf(Credits.Result.Posted.class);
    long rest = 20_000_000 - VIDEO; // of the cap of the hour
    assertThat(refund(charges.get(1), rest + 1))
        .isEqualTo(new Credits.Result.ExceedsCharge(new MicroDenarii(rest)));
    assertThat(refund(charges.get(1), rest)).isInstanceOf(Credits.Result.Posted.class);
    assertThat(rig.balance(alice)).isEqualTo(-30_000_000);
  }

  @Test
  void theWalletThatPaidGetsBackWhatIsAboveTheCaps() {
    rig.grant(tag, alice, 100_000_000, day.plus(30, ChronoUnit.DAYS));
    moveTo(day.plus(3, ChronoUnit.HOURS));
    reports().forEach(rig::submit);
    assertThat(rig.rests(alice)).containsExactly(100_000_000 - 6 * VIDEO);
    endTheDay();
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(50_000_000);
    assertThat(rig.rests(alice)).as("nothing became prepaid money").containsExactly(50_000_000L);
  }

  @Test
  void prepaidMoneyGetsBackWhatIsAboveACapBeforeTheWallet() {
    rig.grant(tag, alice, 3 * VIDEO, day.plus(30, ChronoUnit.DAYS));
    moveTo(day.plus(3, ChronoUnit.HOURS));
    reports().forEach(rig::submit);
    endTheDay();
    rig.caps.creditDue(rig.clock.instant());
    // The wallet paid the three minutes of the first hour, of which the cap left 20.
    assertThat(rig.rests(alice)).containsExactly(3 * VIDEO - 20_000_000);
    assertThat(rig.balance(alice)).isEqualTo(3 * VIDEO - 50_000_000);
  }

  private Credits.Result refund(long charge, long microdenarii) {
    return new Credits(SharedDatabase.transaction(), SharedDatabase.client(), rig.ledger)
        .post(
            new Credits.Request(
                "refund-" + charge + "-" + microdenarii,
                alice,
                new MicroDenarii(microdenarii),
                "complaint",
                charge,
                "operator"),
            rig.clock.instant());
  }

  @Test
  void aDayWaitsForIntervalsThatNobodyHasSigned() {
    moveTo(day.plus(3, ChronoUnit.HOURS));
    List<UsageReport> reports = reports();
    reports.subList(0, 5).forEach(rig::submit);
    rig.submit(Reports.unsigned(reports.getLast()));
    endTheDay();
    assertThat(rig.caps.creditDue(rig.clock.instant())).doesNotContain(alice);
    long interval =
        rig.jdbc.queryForObject(
            "select id from charging_interval where account = ? and state = 'PROVISIONAL'",
            Long.class,
            alice);
    rig.unsigned.decide(
        interval,
        UnsignedIntervals.Verdict.VOIDED,
        new Evidence.Decision("operator", "never signed"),
        rig.clock.instant());
    rig.caps.creditDue(rig.clock.instant());
    // The void interval is paid by nobody, so its application stays below its cap.
    assertThat(credits()).containsExactly(3 * VIDEO - 20_000_000);
    assertThat(rig.balance(alice)).isEqualTo(-20_000_000 - 2 * VIDEO);
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, Pacific/Auckland",
    "PT23H50M, Pacific/Auckland",
    "PT0S, America/Lima",
    "PT23H50M, America/Lima"
  })
  void theDayIsTheUtcDayInEverySessionOfTheDatabase(Duration since, String zone) {
    moveTo(day.plus(24, ChronoUnit.HOURS));
    reports().subList(0, 5).forEach(rig::submit);
    rig.submit(Reports.unsigned(video("skype-video", 6, day.plus(since))));
    endTheDay();
    Set<String> credited =
        SharedDatabase.transaction()
            .execute(_ -> {
              rig.jdbc.execute("set local time zone '" + zone + "'");
              return rig.caps.creditDue(rig.clock.instant());
            });
    assertThat(credited).as("an interval of the day is unsigned").doesNotContain(alice);
    assertThat(credits()).isEmpty();
  }

  @Test
  void aRefundByAnOperatorCountsBeforeTheCap() {
    moveTo(day.plus(3, ChronoUnit.HOURS));
    reports().subList(0, 2).forEach(rig::submit);
    long charge =
        rig.jdbc.queryForObject("select min(id) from charge where account = ?", Long.class, alice);
    new Credits(SharedDatabase.transaction(), rig.client, rig.ledger)
        .post(
            new Credits.Request(
                "refund-" + tag, alice, new MicroDenarii(VIDEO), "outage", charge, "operator"),
            rig.clock.instant());
    endTheDay();
    rig.caps.creditDue(rig.clock.instant());
    assertThat(credits()).isEmpty();
    assertThat(rig.balance(alice)).isEqualTo(-VIDEO);
  }

  @Test
  void aLateReportCountsAndOneThatIsTooLateDoesNot() {
    moveTo(day.plus(20, ChronoUnit.HOURS));
    List<UsageReport> reports = reports();
    reports.subList(0, 5).forEach(rig::submit);
    rig.submit(reports.getLast());
    assertThat(
            rig.jdbc.queryForList(
                "select distinct state from charging_interval where account = ?",
                String.class,
                alice))
        .containsExactly("ADJUSTED");
    endTheDay();
    rig.caps.creditDue(rig.clock.instant());
    assertThat(rig.balance(alice)).isEqualTo(-50_000_000);
    rig.submit(video("skype-video", 6, day.plusSeconds(7200)));
    assertThat(rig.balance(alice)).isEqualTo(-50_000_000);
  }
}
