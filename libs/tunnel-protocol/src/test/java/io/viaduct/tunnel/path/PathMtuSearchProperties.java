package io.viaduct.tunnel.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class PathMtuSearchProperties {
  private static final long ROUND_TRIP_NS = 50_000_000;
  // Base and largest size at once, three tries of each of base, largest and least size, and of each
  // halving of 8424.
  private static final int PROBES_MAX = 2 + 3 * (3 + 14);

  private long nowNs;

  /// Runs a search to its end. @return number of probes sent
  private int search(PathMtuSearch search, int path, double loss, SplittableRandom random) {
    int probes = 0;
    while (!search.isComplete()) {
      nowNs = Math.max(nowNs, search.nextTickNs());
      int size = search.tick(nowNs, ROUND_TRIP_NS);
      probes += size > 0 ? 1 : 0;
      if (size > 0 && size <= path && random.nextDouble() >= loss) {
        search.acknowledged(size, nowNs);
      }
    }
    return probes;
  }

  private PathMtuSearch begun(int most) {
    PathMtuSearch search = new PathMtuSearch(most);
    search.restart(nowNs);
    return search;
  }

  @Property
  void theSearchFindsThePathMtuExactlyInABoundedNumberOfProbes(
      @ForAll @IntRange(min = 576, max = 9000) int path,
      @ForAll @IntRange(min = 576, max = 9000) int most) {
    PathMtuSearch search = begun(most);
    int probes = search(search, path, 0, new SplittableRandom(1));
    assertThat(search.size()).isEqualTo(Math.min(path, most));
    assertThat(probes).isLessThanOrEqualTo(PROBES_MAX);
  }

  @Property
  void lossNeverMakesTheSizeLargerThanThePath(
      @ForAll @IntRange(min = 576, max = 9000) int path, @ForAll long seed) {
    PathMtuSearch search = begun(9000);
    search(search, path, 0.2, new SplittableRandom(seed));
    boolean answered = !(search.size() == 9000 && path < 9000);
    assertThat(answered && search.size() > path).as("seed %d", seed).isFalse();
  }

  @Property
  void aPathMtuThatShrinksInUseIsFoundAgain(
      @ForAll @IntRange(min = 576, max = 9000) int before,
      @ForAll @IntRange(min = 576, max = 9000) int after) {
    PathMtuSearch search = begun(9000);
    search(search, before, 0, new SplittableRandom(1));
    for (int datagrams = 0; datagrams < 128; datagrams++) { // none of which is acknowledged
      search.sent(search.size(), 1, nowNs);
      nowNs += 10_000_000;
    }
    int size = search.tick(nowNs, ROUND_TRIP_NS);
    assertThat(size).as("confirmed again").isEqualTo(Math.min(before, 9000));
    if (size <= after) {
      search.acknowledged(size, nowNs);
    }
    search(search, after, 0, new SplittableRandom(1));
    assertThat(search.size()).isEqualTo(Math.min(before, after) == before ? before : after);
    assertThat(search.blackHoles()).isEqualTo(after < before ? 1 : 0);
  }

  @Property
  void theKernelsRefusalNeedsNoProbe(@ForAll @IntRange(min = 576, max = 1500) int link) {
    PathMtuSearch search = begun(1500);
    long startNs = nowNs;
    while (!search.isComplete()) {
      nowNs = Math.max(nowNs, search.nextTickNs());
      int size = search.tick(nowNs, ROUND_TRIP_NS);
      if (size > link) {
        search.tooBig(size, nowNs);
      } else if (size > 0) {
        search.acknowledged(size, nowNs);
      }
    }
    assertThat(search.size()).isEqualTo(link);
    assertThat(nowNs).as("no timer was needed").isEqualTo(startNs);
  }
}
