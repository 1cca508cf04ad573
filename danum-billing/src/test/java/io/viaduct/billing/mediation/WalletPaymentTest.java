package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.account.Credits;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.usage.v1.FlowUsage;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Payments of wallets, and what they get back (ADR 0043), on a real PostgreSQL.
class WalletPaymentTest {
  /// Net of the worked example, by the SNAPT's report and by the device's, in micro-denarii.
  private static final long BY_SNAPT = 34_348_658;

  private static final long BY_DEVICE = 35_541_158;
  private static final long DENARIUS = 1_000_000;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);
  private Instant expiry = Instant.EPOCH;

  @BeforeEach
  void open() {
    rig.openAccount(alice);
    expiry = rig.clock.instant().plus(Duration.ofHours(6));
  }

  @AfterEach
  void everyInvariantHolds() {
    assertThat(rig.broken()).isEmpty();
  }

  private UsageReport report(int sequence, List<FlowUsage> flows) {
    return Reports.report(
            "snapt-" + tag, "s-" + tag, 1, sequence, alice, rig.clock.instant(), flows)
        .build();
  }

  private void grant(long microdenarii) {
    rig.grant(tag, alice, microdenarii, expiry);
    rig.clock.advance(Duration.ofMinutes(2));
  }

  private UsageReport chargedByDevice() {
    UsageReport report = report(0, Reports.workedExample());
    assertThat(rig.submit(Reports.ofDevice(report, 0))).isEqualTo(ReportVerdict.PROVISIONAL);
    rig.clock.advance(MediationRig.CHARGE_AFTER.plusMinutes(2));
    rig.chargeByDevices();
    return report;
  }

  private void expire() {
    rig.clock.advance(Duration.between(rig.clock.instant(), expiry.plus(Duration.ofMinutes(11))));
    rig.grants.expireDue(rig.clock.instant());
  }

  @Test
  void aWalletPaysADevicesReportBeforeItExpires() {
    grant(BY_DEVICE);
    chargedByDevice();
    assertThat(rig.balance(alice)).isZero();
    assertThat(rig.rests(alice)).containsExactly(0L);
    expire();
    assertThat(rig.balance(alice)).as("nothing was left to expire").isZero();
    rig.clock.advance(MediationRig.ADJUSTMENT);
    rig.chargeByDevices();
    assertThat(rig.balance(alice)).isZero();
  }

  @Test
  void aReversedReportOfADeviceGivesTheWalletBackWhatTheSnaptsReportDraws() {
    grant(BY_DEVICE + DENARIUS);
    UsageReport report = chargedByDevice();
    assertThat(rig.rests(alice)).containsExactly(DENARIUS);
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.POSTED);
    assertThat(rig.rests(alice)).containsExactly(BY_DEVICE + DENARIUS - BY_SNAPT);
    assertThat(rig.balance(alice)).isEqualTo(BY_DEVICE + DENARIUS - BY_SNAPT);
    expire();
    assertThat(rig.balance(alice)).isZero();
  }

  @Test
  void whatAnExpiredWalletPaidIsGivenBackAsPrepaidMoney() {
    grant(BY_DEVICE);
    UsageReport report = chargedByDevice();
    expire();
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.POSTED);
    assertThat(rig.rests(alice)).containsExactly(0L);
    assertThat(rig.balance(alice)).isEqualTo(BY_DEVICE - BY_SNAPT);
  }

  @Test
  void aRefundGoesBackToThePrepaidMoneyAndTheWalletsThatPaidTheLastFirst() {
    grant(5 * DENARIUS);
    rig.grant(tag + "-later", alice, DENARIUS, expiry.plus(Duration.ofHours(1)));
    rig.verdict(report(0, Reports.workedExample().subList(0, 1)));
    assertThat(rig.rests(alice)).containsExactly(0L, 0L);
    long prepaid = -rig.balance(alice);
    assertThat(prepaid).isPositive();
    refund(prepaid + DENARIUS + 5);
    assertThat(rig.rests(alice)).containsExactly(5L, DENARIUS);
    assertThat(rig.balance(alice)).isEqualTo(DENARIUS + 5);
    refund(7);
    assertThat(rig.rests(alice)).containsExactly(12L, DENARIUS);
    expire();
    assertThat(rig.balance(alice)).as("what the grant got back expires").isEqualTo(DENARIUS);
  }

  private void refund(long microdenarii) {
    long charge =
        rig.jdbc.queryForObject("select id from charge where account = ?", Long.class, alice);
    assertThat(
            rig.credits.post(
                new Credits.Request(
                    "refund-" + microdenarii + "-" + tag,
                    alice,
                    new MicroDenarii(microdenarii),
                    "outage",
                    charge,
                    "operator"),
                rig.clock.instant()))
        .isInstanceOf(Credits.Result.Posted.class);
  }
}
