package io.viaduct.billing.mediation;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.clock.PeerClock;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SubmitDeviceReportsRequest;
import io.viaduct.usage.v1.SubmitRequest;
import io.viaduct.usage.v1.UsageReport;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The clocks of billing and bridge differ: nothing is posted, and the alarm is shown, until they
/// agree again.
class WrongClockTest {
  private static final long PRICE = 34_348_658;

  private final String tag = UUID.randomUUID().toString().substring(0, 8);
  private final String alice = "alice-" + tag;
  private final MediationRig rig = new MediationRig("owner-" + tag);
  private final UsageReport report =
      Reports.report(
              "snapt-" + tag, "s-" + tag, 1, 0, alice, rig.clock.instant(), Reports.workedExample())
          .build();

  @BeforeEach
  void open() {
    rig.openAccount(alice);
  }

  private ReportAck submit(Instant byBridge) {
    return rig.mediation.submit(Reports.request(byBridge, List.of(report))).getAcks(0);
  }

  private double secondsAhead() {
    return rig.meters.get(PeerClock.METRIC).gauge().value();
  }

  private double deferred() {
    return rig.meters.get("viaduct_reports").tag("verdict", "deferred").counter().count();
  }

  @Test
  void reportsAreDeferredWhileTheClocksDifferByMoreThanFiveMinutesAndPostedOnceAfterwards() {
    Instant now = rig.clock.instant();
    for (Duration off : List.of(Duration.ofHours(1), Duration.ofHours(-1))) {
      double before = deferred();
      ReportAck ack = submit(now.plus(off));
      assertThat(ack.getVerdict()).isEqualTo(ReportVerdict.DEFERRED);
      assertThat(ack.getReason()).contains("clocks of billing and the bridge differ");
      assertThat(ack.getSequence()).isEqualTo(report.getSequence());
      assertThat(deferred()).isEqualTo(before + 1);
      assertThat(secondsAhead()).isEqualTo(-off.toSeconds());
      assertThat(rig.clocks.areAllTrusted()).isFalse();
      assertThat(rig.balance(alice)).isZero();
    }
    assertThat(submit(now.plusSeconds(300)).getVerdict()).isEqualTo(ReportVerdict.POSTED);
    assertThat(submit(now).getVerdict()).isEqualTo(ReportVerdict.ALREADY_POSTED);
    assertThat(secondsAhead()).isZero();
    assertThat(rig.clocks.areAllTrusted()).isTrue();
    assertThat(rig.balance(alice)).isEqualTo(-PRICE);
    assertThat(rig.broken()).isEmpty();
  }

  @Test
  void reportsOfDevicesAreDeferredToo() {
    SubmitDeviceReportsRequest.Builder request =
        SubmitDeviceReportsRequest.newBuilder()
            .addReports(Reports.ofDevice(report, 0))
            .addTokenKeys(Reports.PROVEN.tokenKey());
    long nowMs = rig.clock.millis();
    request.setReceivedMs(nowMs - 3_600_000);
    assertThat(rig.mediation.submit(request.build()).getAcks(0).getVerdict())
        .isEqualTo(ReportVerdict.DEFERRED);
    request.setReceivedMs(nowMs);
    assertThat(rig.mediation.submit(request.build()).getAcks(0).getVerdict())
        .isEqualTo(ReportVerdict.PROVISIONAL);
  }

  @Test
  void anEmptyRequestComparesTheClocksAndABridgeThatHasGoneIsForgotten() {
    assertThat(secondsAhead()).isNaN();
    SubmitRequest empty =
        SubmitRequest.newBuilder().setReceivedMs(rig.clock.millis() + 60_000).build();
    assertThat(rig.mediation.submit(empty).getAcksCount()).isZero();
    assertThat(secondsAhead()).isEqualTo(-60);
    rig.clock.advance(Duration.ofMinutes(1));
    assertThat(secondsAhead()).isNaN();
  }
}
