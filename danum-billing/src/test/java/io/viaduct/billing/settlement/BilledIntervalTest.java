package io.viaduct.billing.settlement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.viaduct.billing.rating.Demand;
import io.viaduct.billing.rating.Measures;
import io.viaduct.billing.settlement.Evidence.Strength;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.SurchargeVersion;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.tariff.TermsInForce;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BilledIntervalTest {
  private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
  private static final Instant GRACE_END = START.plusSeconds(660);
  private static final TariffVersion TARIFF =
      new TariffVersion(3, Instant.EPOCH, SeedTariff.at(OperatingPoint.OFFERED), "operator");

  private static Evidence evidence(Strength strength) {
    return new Evidence(strength, new byte[0], null, null, null, null);
  }

  static MeasuredInterval report(Instant received, Evidence evidence) {
    return new MeasuredInterval(
        new IntervalKey("snapt-1", "s", 1, 2),
        "alice",
        "icid",
        "token",
        START,
        START.plusMillis(60_500),
        received,
        MeasuredInterval.Clock.GOOD,
        false,
        1000,
        900,
        10,
        List.of(
            new MeasuredInterval.Flow(
                1,
                17,
                "192.0.2.1",
                5060,
                "linkA",
                2.5,
                Measures.flow(ServiceClass.HT_LD, "skype-video", 450_000, 40, Demand.UNKNOWN))),
        List.of(new MeasuredInterval.Relayed("bob", 5)),
        new MeasuredInterval.Original(new byte[] {1}, new byte[] {2}, "key", new byte[] {3}),
        evidence);
  }

  private static BilledInterval billed(Instant received, Evidence evidence) {
    return BilledInterval.of(
        report(received, evidence), new TermsInForce(TARIFF, null), "acme", GRACE_END);
  }

  @Test
  void theFirstStateFollowsFromEvidenceAndTime() {
    Instant inTime = GRACE_END.minusMillis(1);
    assertThat(billed(inTime, evidence(Strength.SIGNED)).state())
        .isEqualTo(IntervalState.CORRECTED);
    assertThat(billed(GRACE_END, evidence(Strength.SIGNED)).state())
        .isEqualTo(IntervalState.ADJUSTED);
    for (Strength weak :
        List.of(Strength.RECEIPT_OWED, Strength.NO_TOKEN, Strength.TOKEN_KEY_UNKNOWN)) {
      assertThat(billed(inTime, evidence(weak)).state()).isEqualTo(IntervalState.PROVISIONAL);
      assertThat(billed(GRACE_END, evidence(weak)).state()).isEqualTo(IntervalState.PROVISIONAL);
    }
    assertThat(billed(inTime, evidence(Strength.DEVICE_REPORT)).state())
        .isEqualTo(IntervalState.FINAL_PROVISIONAL);
  }

  @Test
  void anOperatorsReleaseReplacesTheReceipt() {
    MeasuredInterval released =
        report(GRACE_END.minusMillis(1), evidence(Strength.NO_TOKEN))
            .released(new Evidence.Decision("operator", "seen"));
    assertThat(released.evidence().release().reason()).isEqualTo("seen");
    assertThat(
            BilledInterval.of(released, new TermsInForce(TARIFF, null), "acme", GRACE_END).state())
        .isEqualTo(IntervalState.CORRECTED);
  }

  @Test
  void aBillHasTheVersionsOwnerAndLinesOfItsTerms() {
    BilledInterval plain = billed(START, evidence(Strength.SIGNED));
    assertThat(plain.tariffVersion()).isEqualTo(3);
    assertThat(plain.surchargeVersion()).isNull();
    assertThat(plain.owner()).isEqualTo("acme");
    assertThat(plain.graceEndsAt()).isEqualTo(GRACE_END);
    assertThat(plain.report().account()).isEqualTo("alice");
    assertThat(plain.flows()).hasSize(1);
    assertThat(plain.isOffered(0)).isTrue();
    assertThat(plain.skewedFlows()).isZero();
    assertThat(plain.lines().charge().value()).isPositive();
    SurchargeVersion surcharge =
        new SurchargeVersion(
            "acme", 5, Instant.EPOCH, new Surcharge(Map.of(ServiceClass.HT_LD, 2.0)), "operator");
    BilledInterval dearer =
        BilledInterval.of(
            report(START, evidence(Strength.SIGNED)),
            new TermsInForce(
                new TariffVersion(
                    4, Instant.EPOCH, SeedTariff.at(OperatingPoint.MEASURED), "operator"),
                surcharge),
            "acme",
            GRACE_END);
    assertThat(dearer.surchargeVersion()).isEqualTo(5);
    assertThat(dearer.isOffered(0)).isFalse();
    assertThat(dearer.lines().surcharge().value()).isEqualTo(900_000);
  }

  @Test
  void anIntervalGetsItsIdsOnceAndOneForEachFlow() {
    BilledInterval interval = billed(START, evidence(Strength.SIGNED));
    assertThatThrownBy(() -> interval.identify(7, List.of(1L, 2L)))
        .isInstanceOf(IllegalStateException.class);
    interval.identify(7, List.of(1L));
    assertThat(interval.id()).isEqualTo(7);
    assertThat(interval.chargeIds()).containsExactly(1L);
    assertThatThrownBy(() -> interval.identify(8, List.of(1L)))
        .hasMessage("interval snapt-1/s/1/2 has its ids already");
  }

  @Test
  void aReportKeepsEverythingElseWhenItsTimesOrFlowsAreReplaced() {
    MeasuredInterval report = report(GRACE_END, evidence(Strength.SIGNED));
    assertThat(report.lengthMs()).isEqualTo(60_500);
    assertThat(report.asOf(START, report.endedAt(), GRACE_END, report.clock())).isEqualTo(report);
    MeasuredInterval first =
        report.asOf(START.plusMillis(1), START.plusMillis(3), START, MeasuredInterval.Clock.AHEAD);
    assertThat(first.lengthMs()).isEqualTo(2);
    assertThat(first.receivedAt()).isEqualTo(START);
    assertThat(first.clock()).isEqualTo(MeasuredInterval.Clock.AHEAD);
    MeasuredInterval carried =
        report.with(report.flows().stream().map(flow -> flow.carriedBy(9)).toList());
    assertThat(carried.flows().getFirst().measure())
        .isNotEqualTo(report.flows().getFirst().measure());
    assertThat(carried.flows().getFirst().link()).isEqualTo("linkA");
    assertThat(carried.with(report.flows())).isEqualTo(report);
  }

  @Test
  void keysAreOrderedBySnaptSessionEpochAndSequence() {
    IntervalKey key = new IntervalKey("b", "s", 1, 2);
    assertThat(key).isGreaterThan(new IntervalKey("a", "t", 9, 9));
    assertThat(key).isGreaterThan(new IntervalKey("b", "r", 9, 9));
    assertThat(key).isGreaterThan(new IntervalKey("b", "s", 0, 9));
    assertThat(key).isGreaterThan(new IntervalKey("b", "s", 1, 1));
    assertThat(key.text()).isEqualTo("b/s/1/2");
    assertThat(key.byDevice(7).text()).isEqualTo("b/device:7:s/1/2");
    assertThat(IntervalKey.isByDevice(key.byDevice(7).session())).isTrue();
    assertThat(IntervalKey.isByDevice(key.session())).isFalse();
  }
}
