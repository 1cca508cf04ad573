package io.viaduct.snapt.reporting;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.RelaysOfReport;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.RelayedBytes;
import io.viaduct.usage.v1.ReportRelays;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.UsageReport;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import org.junit.jupiter.api.Test;

/// The bytes that a SNAPT signs, which the payer's statement shows.
class ReportSignerTest {
  private final KeyPair key = Ed25519.generate();
  private final ReportSigner signer = new ReportSigner("report", key.getPrivate());

  private SignedUsageReport sign(UsageReport report) {
    return signer.sign(report, SignedSessionToken.getDefaultInstance());
  }

  private static UsageReport report(long sequence) {
    return UsageReport.newBuilder()
        .setSnaptId("snapt-1")
        .setSessionId("session")
        .setEpoch(3)
        .setSequence(sequence)
        .addRelays(RelayedBytes.newBuilder().setAccount("bob").setBytes(7))
        .build();
  }

  @Test
  void theSignedBytesNameNoNeighbourAndTheListBesideThemIsTheOneOfTheirDigest() throws Exception {
    SignedUsageReport signed = sign(report(0));
    assertThat(signed.getReport().toString(StandardCharsets.ISO_8859_1))
        .contains("snapt-1")
        .doesNotContain("bob");
    assertThat(
            SignedMessage.USAGE_REPORT.isSignedBy(
                key.getPublic(), signed.getReport(), signed.getSignature()))
        .isTrue();
    assertThat(RelaysOfReport.relaysOf(signed, UsageReport.parseFrom(signed.getReport())))
        .contains(report(0).getRelaysList());
  }

  @Test
  void theSameReportGivesTheSameBytesAndEachReportHasASaltOfItsOwn() throws Exception {
    assertThat(sign(report(0))).isEqualTo(sign(report(0)));
    assertThat(ReportRelays.parseFrom(sign(report(0)).getRelays()).getSalt())
        .isNotEqualTo(ReportRelays.parseFrom(sign(report(1)).getRelays()).getSalt());
  }

  @Test
  void aReportWithoutRelaysIsSignedAsItIs() {
    UsageReport alone = report(0).toBuilder().clearRelays().build();
    assertThat(sign(alone).getReport()).isEqualTo(alone.toByteString());
    assertThat(sign(alone).getRelays().isEmpty()).isTrue();
  }
}
