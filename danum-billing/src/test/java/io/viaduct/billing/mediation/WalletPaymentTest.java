package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.wallet.Wallet;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What wallets pay and get back (ADR 0043), on a real PostgreSQL.
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

  private void grant(long microdenarii) {
    rig.grant(tag, alice, microdenarii, expiry);
    rig.clock.advance(Duration.ofMinutes(2));
  }

  private UsageReport chargedByDevice() {
    UsageReport report = report(0);
    assertThat(rig.submit(Reports.ofDevice(report, 0))).isEqualTo(ReportVerdict.PROVISIONAL);
    rig.clock.advance(MediationRig.CHARGE_AFTER.plusMinutes(2));
    rig.chargeByDevices();
    return report;
  }

  private void expire() {
    rig.clock.advance(Duration.between(rig.clock.instant(), expiry.plus(Duration.ofMinutes(11))));
    rig.grants.expireDue(rig.clock.instant());
  }

  private List<Long> rests() {
    return rig.wallets.page(alice, null, 10).stream()
        .map(Wallet::rest)
        .map(rest -> rest.value())
        .toList();
  }

  @Test
  void aWalletPaysADevicesReportBeforeItExpires() {
    grant(BY_DEVICE);
    chargedByDevice();
    assertThat(rig.balance(alice)).isZero();
    assertThat(rests()).containsExactly(0L);
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
    assertThat(rests()).containsExactly(DENARIUS);
    assertThat(rig.verdict(report)).isEqualTo(ReportVerdict.POSTED);
    assertThat(rests()).containsExactly(BY_DEVICE + DENARIUS - BY_SNAPT);
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
    assertThat(rests()).containsExactly(0L);
    assertThat(rig.balance(alice)).isEqualTo(BY_DEVICE - BY_SNAPT);
  }
}
