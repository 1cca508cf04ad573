package io.viaduct.tunnel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.viaduct.tunnel.compound.CompoundFixture;
import io.viaduct.tunnel.terms.Scheduling;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/// The oracle is water-filling: the price at which the demands of all flows fill the line, found by
/// bisection.
class MaxWeightProperties {
  private static final double LINE = 10e6 / 8;
  private static final double WINDOW_SECONDS = 1;
  private static final List<ClassUtility> UTILITIES = Scheduling.defaults().utilities();

  private static FullLine line(double bytesPerSecond, List<FullLine.Source> sources) {
    return new FullLine(bytesPerSecond, new MaxWeight(UTILITIES, () -> bytesPerSecond, 0), sources);
  }

  /// Returns the rates with the largest sum of utilities.
  private static double[] optimum(double line, List<FullLine.Source> sources) {
    double low = 1e-12;
    double high = 1;
    for (int i = 0; i < 200; i++) {
      double price = Math.sqrt(low * high);
      if (sources.stream().mapToDouble(each -> wanted(each, price)).sum() > line) {
        low = price;
      } else {
        high = price;
      }
    }
    double price = high;
    return sources.stream().mapToDouble(each -> wanted(each, price)).toArray();
  }

  private static double wanted(FullLine.Source source, double price) {
    double demand = UTILITIES.get(source.of().ordinal()).demand(price, 1);
    return Math.min(source.bytesPerSecond(), demand);
  }

  private static double utility(double[] rates, List<FullLine.Source> sources) {
    double sum = 0;
    for (int i = 0; i < rates.length; i++) {
      sum += UTILITIES.get(sources.get(i).of().ordinal()).of(rates[i]);
    }
    return sum;
  }

  private static FullLine.Source greedy(ServiceClass of) {
    return new FullLine.Source(of, 2 * LINE, 1400);
  }

  @Example
  void fiveFlowsComeWithinTwoPercentOfTheLargestUtilityInEachSecond() {
    List<FullLine.Source> sources =
        List.of(
            greedy(ServiceClass.LT_LD),
            greedy(ServiceClass.HT_LD),
            greedy(ServiceClass.LT_HD),
            greedy(ServiceClass.HT_HD),
            greedy(ServiceClass.HT_HD));
    double[] best = optimum(LINE, sources);
    FullLine line = line(LINE, sources);
    line.run(2, ServiceClass.LT_LD);
    for (int second = 0; second < 20; second++) {
      double[] rates = line.run(WINDOW_SECONDS, ServiceClass.LT_LD);
      assertThat(utility(rates, sources))
          .as("second %s: %s of %s", second, Arrays.toString(rates), Arrays.toString(best))
          .isGreaterThan(0.98 * utility(best, sources));
      assertThat(byClass(rates, sources))
          .as("no oscillation, second %s", second)
          .containsExactly(byClass(best, sources), offset(LINE / 50));
    }
  }

  private static double[] byClass(double[] rates, List<FullLine.Source> sources) {
    double[] sums = new double[ServiceClass.COUNT];
    for (int i = 0; i < rates.length; i++) {
      sums[sources.get(i).of().ordinal()] += rates[i];
    }
    return sums;
  }

  @Property(tries = 60)
  void anyFlowsComeWithinTwoPercentOfTheLargestUtility(@ForAll long seed) {
    Random random = new Random(seed);
    double bytesPerSecond = 1e6 / 8 * Math.pow(200, random.nextDouble()); // 1 … 200 Mbit/s
    List<FullLine.Source> sources = new ArrayList<>();
    int count = 2 + random.nextInt(6);
    for (int i = 0; i < count; i++) {
      ServiceClass of = ServiceClass.of(random.nextInt(ServiceClass.COUNT));
      sources.add(new FullLine.Source(of, 2 * bytesPerSecond, 1000));
    }
    FullLine line = line(bytesPerSecond, sources);
    line.run(4, ServiceClass.LT_LD);
    double[] rates = line.run(4, ServiceClass.LT_LD);
    double[] best = optimum(bytesPerSecond, sources);
    assertThat(utility(rates, sources))
        .as(
            "seed %s: %s: %s, best %s",
            seed, sources, Arrays.toString(rates), Arrays.toString(best))
        .isGreaterThan(0.98 * utility(best, sources));
  }

  @Example
  void aClassThatWantsLessThanItsShareHardlyWaits() {
    List<FullLine.Source> sources =
        List.of(
            new FullLine.Source(ServiceClass.HT_LD, 12_000, 200),
            greedy(ServiceClass.LT_HD),
            greedy(ServiceClass.HT_HD));
    FullLine line = line(LINE, sources);
    line.run(2, ServiceClass.HT_LD);
    double[] rates = line.run(5, ServiceClass.HT_LD);
    assertThat(rates[0]).isGreaterThan(0.99 * 12_000);
    assertThat(line.longestWaitMs()).as("one packet of 1400 bytes takes 1.1 ms").isLessThan(5);
  }

  @Example
  void aClassThatSendsLittleCostsTheOthersNothing() {
    List<FullLine.Source> sources =
        List.of(greedy(ServiceClass.HT_LD), new FullLine.Source(ServiceClass.LT_LD, 1_000, 100));
    ServiceOrder order = new MaxWeight(UTILITIES, () -> LINE, 0);
    FullLine line = new FullLine(LINE, order, sources);
    line.run(10, ServiceClass.LT_LD);
    assertThat(line.run(1, ServiceClass.LT_LD)[0]).isGreaterThan(0.98 * (LINE - 1_000));
  }

  @Example
  void withoutALimitTheHigherClassGoesFirst() {
    ClassQueues queues =
        new ClassQueues(
            new int[] {9_000, 9_000, 9_000, 9_000},
            new MaxWeight(UTILITIES, () -> Double.POSITIVE_INFINITY, 0));
    for (ServiceClass each : List.of(ServiceClass.HT_HD, ServiceClass.LT_LD)) {
      queues.add(CompoundFixture.of(each, 1_000), 0);
    }
    assertThat(queues.peek().serviceClass()).isEqualTo(ServiceClass.LT_LD);
    assertThat(queues.share(ServiceClass.HT_HD, 5, 10)).isEqualTo(1);
  }
}
