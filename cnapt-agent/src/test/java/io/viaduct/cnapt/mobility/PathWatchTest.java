package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.mobility.PathWatch.Decision;
import io.viaduct.cnapt.mobility.PathWatch.Need;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

class PathWatchTest {
  private static final long MS = 1_000_000;
  private static final long ROUND_TRIP_NS = 10 * MS;
  private static final int PACKET_BYTES = 1360;

  private final MobilitySettings settings =
      new MobilitySettings(
          Duration.ofMillis(300), Duration.ofSeconds(10), Duration.ofMillis(20), 4);
  private final PathWatch watch = new PathWatch(settings, 0);

  /// Returns the times, in ms, of the probes after the start (exclusive). The time of a report as
  /// dead is a negative number at the end of the list.
  private List<Long> probes(long fromMs, long untilMs) {
    List<Long> times = new ArrayList<>();
    for (long now = fromMs + 1; now <= untilMs; now++) {
      switch (watch.tick(now * MS)) {
        case WAIT -> {}
        case PROBE -> times.add(now);
        case PROBE_AND_REPORT_DEAD -> times.add(-now);
      }
    }
    return times;
  }

  /// Returns the times of the probes on a path that answers each of them.
  ///
  /// @param traffic simulates the traffic of a millisecond, before the watch is called
  private List<Long> answeredProbes(long fromMs, long untilMs, LongConsumer traffic) {
    List<Long> times = new ArrayList<>();
    for (long now = fromMs + 1; now <= untilMs; now++) {
      traffic.accept(now);
      if (watch.tick(now * MS) == Decision.PROBE) {
        times.add(now);
        watch.answered(now * MS, ROUND_TRIP_NS);
      }
    }
    return times;
  }

  private List<Long> answeredProbesInSilence(long fromMs, long untilMs) {
    return answeredProbes(fromMs, untilMs, _ -> {});
  }

  @Test
  void aChangeOfNetworkIsProbedAtOnceAndRepeatedWithDoublingPausesUntilTheFirstAnswer() {
    assertThat(watch.tick(0)).isEqualTo(Decision.PROBE);
    assertThat(probes(0, 1000)).containsExactly(20L, 60L, 140L, 300L, 600L, 900L);
    assertThat(watch.answered(1001 * MS, ROUND_TRIP_NS)).isTrue();
    assertThat(watch.answered(1002 * MS, ROUND_TRIP_NS)).as("only the first one").isFalse();
    assertThat(probes(1002, 1300)).isEmpty();
  }

  @Test
  void inSilenceTheSpacingDoublesUpToTenSeconds() {
    watch.tick(0);
    watch.answered(5 * MS, ROUND_TRIP_NS);
    assertThat(answeredProbesInSilence(5, 60_000))
        .containsExactly(305L, 905L, 2105L, 4505L, 9305L, 18905L, 28905L, 38905L, 48905L, 58905L);
  }

  @Test
  void whileManyPacketsLeaveAndNothingComesOneProbeLeavesPerInterval() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    assertThat(answeredProbes(0, 3000, now -> watch.sent(PACKET_BYTES, now * MS))).hasSize(9);
  }

  @Test
  void slowTrafficThatGoesOneWayIsAskedAtOnceAndThenEveryFiveSeconds() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    answeredProbesInSilence(0, 20_000);
    List<Long> times = answeredProbes(20_000, 50_000, now -> upload(700, now));
    assertThat(times.getFirst()).isBetween(20_300L + 1, 20_300L + 700);
    assertThat(times).hasSizeBetween(4, 8);
  }

  @Test
  void trafficThatGoesOneWayAndIsReceiptedCostsNoProbesAfterTheFirst() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    answeredProbesInSilence(0, 20_000);
    List<Long> times = answeredProbes(20_000, 50_000, this::receiptedUpload);
    assertThat(times).as("and those of silence").hasSizeBetween(1, 5);
  }

  @Test
  void slowTrafficThatTheSnaptBreaksItsSilenceForCostsNoProbesAfterTheFirst() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    answeredProbesInSilence(0, 20_000);
    List<Long> times =
        answeredProbes(
            20_000,
            50_000,
            now -> {
              upload(700, now);
              if (now % 4_200 == 20) {
                watch.heard(39, now * MS);
              }
            });
    assertThat(times).as("and those of silence").hasSizeBetween(1, 3);
  }

  @Test
  void theLastPacketOfAConversationDoesNotDelayTheNextQuestion() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    answeredProbesInSilence(0, 1_000);
    watch.sent(PACKET_BYTES, 1_000 * MS); // an ACK, which gets no answer
    assertThat(answeredProbesInSilence(1_000, 5_000)).as("one of them of silence").hasSize(2);
    watch.sent(PACKET_BYTES, 5_000 * MS);
    assertThat(probes(5_000, 5_400)).isNotEmpty();
  }

  @Test
  void receiptsThatStayOutAreMissedWhenTwiceTheirBytesHaveLeft() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    answeredProbes(0, 40_050, this::receiptedUpload);
    List<Long> times = answeredProbes(40_050, 44_000, this::upload);
    assertThat(times).hasSizeBetween(2, 3);
    assertThat(times.getFirst()).isBetween(41_600L, 42_000L);
  }

  private void upload(int intervalMs, long nowMs) {
    if (nowMs % intervalMs == 0) {
      watch.sent(PACKET_BYTES, nowMs * MS);
    }
  }

  /// Simulates an upload of 13.6 kB/s.
  private void upload(long nowMs) {
    upload(100, nowMs);
  }

  private void receiptedUpload(long nowMs) {
    upload(nowMs);
    if (nowMs % 1000 == 20) {
      watch.heard(39, nowMs * MS);
    }
  }

  @Test
  void anAnswerThatDoesNotComeIsAskedForWithinOneIntervalHoweverLittleIsSent() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    answeredProbes(
        0,
        10_000,
        now -> { // one query per second, answered at once
          if (now % 1000 == 0) {
            watch.sent(100, now * MS);
            watch.heard(100, now * MS);
            watch.delivered();
          }
        });
    watch.sent(100, 10_001 * MS);
    assertThat(probes(10_001, 10_311)).containsExactly(10_301L);
  }

  @Test
  void questionsThatAreAnsweredCostNoProbes() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    List<Long> times =
        answeredProbes(
            0,
            60_000,
            now -> {
              if (now % 500 == 0) {
                watch.sent(100, now * MS);
              } else if (now % 500 == 50) {
                watch.heard(100, now * MS);
              }
            });
    assertThat(times).as("as in silence").hasSizeLessThanOrEqualTo(10);
  }

  @Test
  void dataThatComeReplaceProbes() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    List<Long> times =
        answeredProbes(
            0,
            30_000,
            now -> {
              watch.sent(PACKET_BYTES, now * MS);
              watch.heard(PACKET_BYTES, now * MS);
            });
    assertThat(times).as("as in silence").hasSizeLessThanOrEqualTo(8);
  }

  @Test
  void manyDataThatStopAreFollowedByOneProbe() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    answeredProbes(0, 40_000, now -> watch.heard(PACKET_BYTES, now * MS));
    assertThat(probes(40_000, 40_390)).containsExactly(40_300L);
    watch.answered(40_391 * MS, ROUND_TRIP_NS);
    assertThat(probes(40_391, 41_000)).as("and by no second one at once").isEmpty();
  }

  @Test
  void trafficAfterSilenceIsProbedWithinOneInterval() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    answeredProbesInSilence(0, 40_000);
    watch.sent(PACKET_BYTES, 40_001 * MS);
    assertThat(probes(40_001, 40_400)).containsExactly(40_301L);
  }

  @Test
  void aPathThatStopsAnsweringWithItsLinkUpIsReportedDeadOnceWithinTwoSeconds() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    List<Long> times = new ArrayList<>();
    for (long now = 1; now <= 6000; now++) {
      watch.sent(PACKET_BYTES, now * MS);
      Decision decision = watch.tick(now * MS);
      if (decision != Decision.WAIT) {
        times.add(decision == Decision.PROBE ? now : -now);
      }
    }
    assertThat(times.stream().filter(t -> t < 0)).hasSize(1);
    assertThat(-times.stream().filter(t -> t < 0).findFirst().orElseThrow()).isLessThan(2000);
    assertThat(watch.isDead()).isTrue();
    assertThat(watch.answered(6001 * MS, ROUND_TRIP_NS)).as("found again").isTrue();
    assertThat(watch.isDead()).isFalse();
  }

  @Test
  void aDeadPathIsProbedOnWithPausesUpToTheSilentInterval() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    probes(0, 5000);
    assertThat(watch.isDead()).isTrue();
    assertThat(probes(5000, 65_000)).hasSizeBetween(5, 10);
  }

  @Test
  void oneLostProbeIsNoDeath() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    assertThat(probes(0, 310)).containsExactly(300L);
    assertThat(probes(310, 410)).as("the repeat after a missing answer").containsExactly(400L);
    watch.answered(411 * MS, ROUND_TRIP_NS);
    assertThat(watch.isDead()).isFalse();
  }

  @Test
  void nothingIsDecidedBeforeTheTimeThatItNames() {
    watch.tick(0);
    watch.answered(0, ROUND_TRIP_NS);
    for (int i = 0; i < 50; i++) {
      long next = watch.nextTickNs();
      assertThat(watch.tick(next - 1)).isEqualTo(Decision.WAIT);
      assertThat(watch.tick(next)).isNotEqualTo(Decision.WAIT);
    }
  }

  @Test
  void aPathThatNeverAnswersBesideALiveOneIsProbedEveryTenSecondsAndASpareOneMoreSeldom() {
    watch.needed(Need.FURTHER, 0);
    watch.tick(0);
    probes(0, 60_000);
    assertThat(probes(60_000, 660_000)).hasSize(60);

    var seldom =
        new PathWatch(
            new MobilitySettings(
                Duration.ofMillis(300), Duration.ofSeconds(25), Duration.ofMillis(20), 4),
            0);
    seldom.needed(Need.SPARE, 0);
    int probes = 0;
    for (long now = 0; now <= 600_000; now++) {
      probes += seldom.tick(now * MS) == Decision.WAIT ? 0 : 1;
    }
    assertThat(probes).as("12 in 41 s, then one in 25 s").isEqualTo(12 + 22);
  }

  @Test
  void aSilentPathIsSearchedAnewAtOnceWhenNoOtherIsAlive() {
    watch.needed(Need.SPARE, 0);
    watch.tick(0);
    probes(0, 60_000);
    watch.needed(Need.ONLY, 60_000 * MS);
    assertThat(probes(60_000, 61_000))
        .containsExactly(60_001L, 60_021L, 60_061L, 60_141L, 60_301L, 60_601L, 60_901L);
  }

  @Test
  void aSilentSpareLinkThatIsASpareNoMoreIsProbedWithinTenSeconds() {
    var spare =
        new PathWatch(
            new MobilitySettings(
                Duration.ofMillis(300), Duration.ofSeconds(25), Duration.ofMillis(20), 4),
            0);
    spare.needed(Need.SPARE, 0);
    for (long now = 0; now <= 45_000; now++) {
      spare.tick(now * MS);
    }
    assertThat(spare.nextTickNs()).isGreaterThan(60_000 * MS);
    spare.needed(Need.FURTHER, 45_000 * MS);
    assertThat(spare.nextTickNs()).isEqualTo(55_000 * MS);
  }
}
