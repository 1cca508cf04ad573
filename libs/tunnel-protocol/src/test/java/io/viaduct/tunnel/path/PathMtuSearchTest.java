package io.viaduct.tunnel.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PathMtuSearchTest {
  private static final long MS = 1_000_000;

  private final PathMtuSearch search = new PathMtuSearch(1500);
  private int path = 1500;
  private long nowMs;

  /// Runs until a time, with a large datagram each ms and no receipt. Each probe that fits is
  /// answered at once. Returns the probes.
  private List<String> run(long untilMs, boolean sending) {
    List<String> probes = new ArrayList<>();
    for (; nowMs < untilMs; nowMs++) {
      if (sending) {
        search.sent(search.size(), 1, nowMs * MS);
      }
      for (int size = search.tick(nowMs * MS, 0); size > 0; size = search.tick(nowMs * MS, 0)) {
        probes.add(size + " at " + nowMs);
        if (size <= path) {
          search.acknowledged(size, nowMs * MS);
        }
      }
    }
    return probes;
  }

  @Test
  void aPathOfTheLargestSizeCostsTwoProbesAndIsUsedInFullAtOnce() {
    search.restart(0);
    assertThat(search.size()).isEqualTo(1500);
    assertThat(run(10_000, false)).containsExactly("1280 at 0", "1500 at 0");
    assertThat(search.size()).isEqualTo(1500);
  }

  @Test
  void onANarrowerPathTheBaseIsUsedOnceTheFirstAnswerIsOverdue() {
    path = 1400;
    search.restart(0);
    run(249, true);
    assertThat(search.size()).isEqualTo(1500);
    run(251, true);
    assertThat(search.size()).isEqualTo(1280);
    run(10_000, true);
    assertThat(search.size()).isEqualTo(1400);
  }

  @Test
  void belowTheBaseTheLeastSizeIsUsedDuringTheSearch() {
    path = 600;
    search.restart(0);
    run(1_050, true);
    assertThat(search.size()).isEqualTo(576);
    run(20_000, true);
    assertThat(search.size()).isEqualTo(600);
  }

  @Test
  void aPeerThatAnswersNoProbeIsSentTheAgreedSize() {
    path = 0;
    search.restart(0);
    run(5_000, true);
    assertThat(search.size()).isEqualTo(1500);
    assertThat(search.isComplete()).isTrue();
    assertThat(run(500_000, true)).as("and no further probe").isEmpty();
  }

  @Test
  void anIdleSessionSendsNoProbe() {
    search.restart(0);
    run(1_000, false);
    assertThat(search.nextTickNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(run(2_000_000, false)).isEmpty();
  }

  @Test
  void withoutReceiptsTheSizeInUseIsProbedOnceASecond() {
    search.restart(0);
    run(1_000, true);
    assertThat(run(11_000, true)).hasSize(10).allMatch(probe -> probe.startsWith("1500"));
  }

  /// Sends a datagram each 100 ms, with a receipt for every ninth. Returns the probes.
  private List<String> runWithReceipts(long untilMs, int datagram, int largest) {
    List<String> probes = new ArrayList<>();
    for (int datagrams = 1; nowMs < untilMs; datagrams++) {
      search.sent(datagram, 1, nowMs * MS);
      if (datagrams % 9 == 0) {
        search.arrived(largest);
      }
      probes.addAll(run(nowMs + 100, false));
    }
    return probes;
  }

  @Test
  void receiptsThatNameLargeDatagramsReplaceProbes() {
    search.restart(0);
    run(1_000, false);
    assertThat(runWithReceipts(200_000, 1500, 1500)).isEmpty();
    search.arrived(1500);
    assertThat(runWithReceipts(400_000, 1400, 1380)).as("nearly as large ones too").isEmpty();
  }

  @Test
  void aPauseAfterDatagramsWithoutReceiptCausesNoProbe() {
    search.restart(0);
    run(1_000, false);
    List<String> probes = new ArrayList<>();
    for (int flow = 0; flow < 20; flow++) {
      probes.addAll(runWithReceipts(nowMs + 1_700, 1500, 1500)); // the last eight of 17
      probes.addAll(run(nowMs + 7_000, false));
      search.sent(1500, 1, nowMs * MS);
      search.arrived(1500); // the ninth
    }
    assertThat(probes).isEmpty();
  }

  @Test
  void receiptsOfSmallerDatagramsDoNotConfirmLargeOnes() {
    search.restart(0);
    run(1_000, false);
    path = 1400;
    runWithReceipts(20_000, 1500, 1300);
    assertThat(search.size()).isEqualTo(1400);
    assertThat(search.blackHoles()).isOne();
  }

  @Test
  void anEndThatSendsNothingLargeProbesEachTimeThePeerFindsASmallerSize() {
    search.restart(0);
    run(1_000, false);
    for (int narrower : new int[] {1400, 1000}) {
      path = narrower;
      search.suspect(nowMs * MS);
      run(nowMs + 10_000, false);
      assertThat(search.size()).isEqualTo(narrower);
    }
  }

  @Test
  void aSlowSenderWithoutReceiptsIsProbedForAfterTwoSeconds() {
    search.restart(0);
    run(1_000, false);
    path = 1300;
    for (long pauseMs = 200; nowMs < 7_000; pauseMs *= 2) { // RFC 6298 section 5.5
      search.sent(1500, 1, nowMs * MS);
      run(nowMs + pauseMs, false);
    }
    assertThat(search.size()).isEqualTo(1280);
  }

  @Test
  void confirmationCostsOneProbePer64Datagrams() {
    search.restart(0);
    run(1_000, false);
    int probes = 0;
    for (int datagrams = 0; datagrams < 6_400; datagrams++) {
      search.sent(1500, 1, nowMs * MS);
      probes += run(nowMs + 700, false).size();
    }
    assertThat(probes).isBetween(95, 105);
  }

  @Test
  void aBlackHoleIsLeftTwoSecondsAfterItOpened() {
    search.restart(0);
    run(5_500, true);
    path = 1300;
    run(7_500, true);
    assertThat(search.size()).isEqualTo(1280);
    run(20_000, true);
    assertThat(search.size()).isEqualTo(1300);
    assertThat(search.blackHoles()).isOne();
  }

  @Test
  void aLargerPathMtuIsFoundAfterTenMinutesOfUse() {
    path = 1400;
    search.restart(0);
    run(20_000, true);
    path = 1500;
    run(590_000, true);
    assertThat(search.size()).isEqualTo(1400);
    run(620_000, true);
    assertThat(search.size()).isEqualTo(1500);
  }

  @Test
  void aLostProbeAloneChangesNothing() {
    search.restart(0);
    run(5_000, true);
    path = 0;
    run(5_400, true); // two of three tries at most
    path = 1500;
    run(30_000, true);
    assertThat(search.size()).isEqualTo(1500);
    assertThat(search.blackHoles()).isZero();
  }
}
