package io.viaduct.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.viaduct.testbed.process.Alone;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Checks the claims of the demonstration one by one.
@Alone
@ExtendWith(SharedDemo.class)
class DemoLabIT {
  private static String output() throws IOException {
    return SharedDemo.demo().output();
  }

  @Test
  void everyClaimHolds() throws IOException {
    assertThat(output()).contains("all claims of the demonstration hold").doesNotContain("NOT ");
  }

  @Test
  void theSameTcpConnectionFinishesWithTheSameBytesAfterLinkAIsGone() throws IOException {
    assertThat(output())
        .containsSubsequence("link A is down", "ok  the same TCP connection", "ok  SHA-256 equal");
  }

  @Test
  void aUdpStreamCrossesTheHandoverWithASmallGap() throws IOException {
    double gapMs = Double.parseDouble(SharedDemo.demo().find("longest gap ([0-9]+) ms"));
    assertThat(gapMs).isLessThan(2000);
  }

  @Test
  void oneStreamLeavesABadLinkAndThenALinkThatDiesInSilence() throws IOException {
    assertThat(output())
        .containsSubsequence(
            "(c)",
            "link A: 20 % loss each way and 200 ms more there and back, at once",
            "gateway B forwards nothing any more",
            "ok  the stream left the bad link A after",
            "ok  the same stream left the silent link B");
    assertThat(Double.parseDouble(SharedDemo.demo().find("bad link A: longest gap ([0-9]+) ms")))
        .isLessThan(1000);
  }

  @Test
  void keyStrokesStayFastBesideABulkDownload() throws IOException {
    assertThat(output()).contains("ok  9 of 10 key strokes");
  }

  @Test
  void aCallOfTwoPeopleGoesOnWhileTheLinkThatCarriesItIsLost() throws IOException {
    assumeTrue(
        output().contains("(e) alice calls bob"), "skipped: a call needs baresip and nftables");
    assertThat(output())
        .containsSubsequence(
            "which carries alice's audio, is down",
            "ok  the call stayed one call",
            "ok  longest gap in the audio",
            "R and MOS by the E-model");
  }

  @Test
  void aDownloadGoesOnAtTheOtherSnaptOverTheSameConnection() throws IOException {
    assertThat(output())
        .containsSubsequence(
            "(f)",
            "ok  the same TCP connection",
            "goes on at snapt-2",
            "ok  snapt-1 has 0 sessions and could be upgraded now; the device is at snapt-2");
  }

  @Test
  void theBillAddsUpInTheLedgerTheInterfaceAndThePage() throws IOException {
    assertThat(output())
        .containsSubsequence(
            "ok  the download is on the bill",
            "ok  the download that moved is charged once",
            "ok  balance",
            "ok  the page shows the same balance",
            "ok  the bill names the links of the streams",
            "ok  reports: 0 waiting, 0 missing, 0 refused",
            "ok  the ledger's accounts sum to zero");
  }

  @Test
  void theCommandLineRedeemsAVoucherOnceAndExplainsACharge() throws IOException {
    assertThat(output())
        .containsSubsequence(
            "(h)",
            "it is posted once: her balance is",
            "to pay",
            "ok  denarii explain",
            "denarii verify:");
  }
}
