package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.mobility.SilenceWatch.Decision;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SilenceWatchTest {
  private static final long MS = 1_000_000;

  private final SilenceWatch watch = new SilenceWatch();
  private long nowNs = 1_000 * MS;

  /// Hears one datagram per interval.
  private void hear(int datagrams, long intervalMs, int bytes) {
    watch.roundTrip(20 * MS);
    for (int i = 0; i < datagrams; i++) {
      nowNs += intervalMs * MS;
      assertThat(watch.tick(nowNs)).isEqualTo(Decision.WAIT);
      watch.heard(bytes, nowNs);
    }
  }

  /// Returns the decisions of a silence, each with its time in ms since the last datagram.
  private List<String> silence(long ms) {
    List<String> decisions = new ArrayList<>();
    long sinceNs = nowNs;
    long endNs = nowNs + ms * MS;
    while (watch.nextTickNs() <= endNs) {
      nowNs = watch.nextTickNs();
      decisions.add((nowNs - sinceNs) / MS + " " + watch.tick(nowNs));
    }
    nowNs = endNs;
    return decisions;
  }

  @Test
  void aBusyPathThatBecomesSilentIsLeftAfterThreeProbes() {
    hear(1000, 1, 100);
    assertThat(silence(5000)).containsExactly("40 PROBE", "70 PROBE", "100 PROBE", "130 LEAVE");
  }

  @Test
  void theProbesOfALongPathWaitForItsRoundTrip() {
    hear(1000, 1, 100);
    watch.roundTrip(200 * MS);
    assertThat(silence(5000)).containsExactly("40 PROBE", "290 PROBE", "540 PROBE", "790 LEAVE");
  }

  @Test
  void aStreamThatHasEndedCostsOneProbeWhichThePathAnswers() {
    hear(1000, 1, 100);
    assertThat(silence(45)).containsExactly("40 PROBE");
    watch.heard(81, nowNs);
    assertThat(silence(60_000)).isEmpty();
  }

  @Test
  void aPathThatBecomesSilentRightAfterAGapOfABusyProcessorIsLeftAsSoon() {
    hear(1000, 1, 100);
    assertThat(silence(45)).containsExactly("40 PROBE");
    watch.heard(81, nowNs);
    hear(3, 1, 100);
    assertThat(silence(5000)).containsExactly("40 PROBE", "70 PROBE", "100 PROBE", "130 LEAVE");
  }

  @Test
  void fourGapsInARowUseUpWhatWasRemembered() {
    hear(1000, 1, 100);
    for (int i = 0; i < 4; i++) {
      assertThat(silence(45)).containsExactly("40 PROBE");
      watch.heard(81, nowNs);
      hear(3, 1, 100);
    }
    assertThat(silence(60_000)).isEmpty();
  }

  @Test
  void aProcessThatComesLateReadsItsSocketBeforeItDoubtsThePath() {
    hear(1000, 1, 100);
    nowNs += 300 * MS;
    assertThat(watch.tick(nowNs)).isEqualTo(Decision.WAIT);
    watch.heard(100, nowNs + MS);
    nowNs += MS;
    assertThat(silence(45)).doesNotContain("0 PROBE", "10 PROBE");
  }

  @Test
  void aProcessThatIsAlwaysLateLeavesASilentPathAllTheSame() {
    hear(1000, 1, 100);
    Decision decision = Decision.WAIT;
    int ticks = 0;
    while (decision != Decision.LEAVE) {
      nowNs = watch.nextTickNs() + 50 * MS;
      decision = watch.tick(nowNs);
      assertThat(++ticks).isLessThanOrEqualTo(8);
    }
  }

  @Test
  void rareDatagramsCauseNoProbe() {
    hear(200, 200, 1200);
    assertThat(silence(60_000)).isEmpty();
  }

  @Test
  void fewBytesCauseNoProbe() {
    hear(40, 10, 100);
    assertThat(silence(60_000)).isEmpty();
  }

  @Test
  void probesCostAtMostTwoPercentOfAStreamWithPauses() {
    int probes = 0;
    long bytes = 0;
    watch.roundTrip(20 * MS);
    for (int burst = 0; burst < 200; burst++) {
      for (int i = 0; i < 30; i++) {
        nowNs += MS;
        watch.tick(nowNs);
        watch.heard(1_000, nowNs);
        bytes += 1_000;
      }
      List<String> decisions = silence(60);
      probes += decisions.size();
      if (!decisions.isEmpty()) {
        watch.heard(81, nowNs);
      }
    }
    assertThat(probes * (77 + 81)).isPositive().isLessThan((int) (bytes / 50));
  }
}
