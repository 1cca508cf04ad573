package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/// The arithmetic of hand-overs beside a slow one that compares every pair.
class PacketSeriesProperties {
  private static final int SENT = 40;

  private static PacketSeries random(long seed, int arrivals) {
    var random = new SplittableRandom(seed);
    long[] sentNs = new long[SENT];
    Arrays.setAll(sentNs, i -> i * 10L);
    int[] numbers = random.ints(arrivals, 0, SENT).toArray();
    long[] arrivedNs = random.longs(arrivals, 0, 1_000).sorted().toArray();
    return new PacketSeries(sentNs, numbers, arrivedNs);
  }

  @Property
  void silenceIsTheLongestGapOfAllPairsWithoutAPacketBetween(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int arrivals) {
    PacketSeries series = random(seed, arrivals);
    long[] all = series.arrivedNs();
    long fromNs = all[0];
    long untilNs = 1_000;
    long longest = untilNs - all[all.length - 1];
    for (int a = 0; a < all.length; a++) {
      for (int b = a + 1; b < all.length; b++) {
        long early = all[a];
        long late = all[b];
        boolean isGap = Arrays.stream(all).noneMatch(at -> at > early && at < late);
        longest = Math.max(longest, isGap && late > fromNs ? late - early : 0);
      }
    }
    assertThat(series.silenceNs(fromNs, untilNs)).as("seed %d", seed).isEqualTo(longest);
  }

  @Property
  void reorderingLossAndCopiesAreThoseOfTheSlowCount(
      @ForAll long seed, @ForAll @IntRange(max = 60) int arrivals) {
    PacketSeries series = random(seed, arrivals);
    var seen = new HashSet<Integer>();
    long latest = 0;
    for (int at = 0; at < arrivals; at++) {
      if (seen.add(series.numbers()[at])) {
        for (int before = 0; before < at; before++) {
          if (series.numbers()[before] > series.numbers()[at]) {
            latest = Math.max(latest, series.arrivedNs()[at] - series.arrivedNs()[before]);
          }
        }
      }
    }
    assertThat(series.reorderingNs()).as("seed %d", seed).isEqualTo(latest);
    assertThat(series.lost(0, Long.MAX_VALUE)).as("seed %d", seed).isEqualTo(SENT - seen.size());
    assertThat(series.duplicated()).as("seed %d", seed).isEqualTo(arrivals - seen.size());
  }
}
