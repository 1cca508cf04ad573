package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StatisticTest {
  private static final double[] FIFTY = IntStream.rangeClosed(1, 50).asDoubleStream().toArray();

  @Test
  void percentilesOfFiftyValuesAreOfTheNearestRank() {
    assertThat(Statistic.P50.of(FIFTY)).isEqualTo(25);
    assertThat(Statistic.P95.of(FIFTY)).isEqualTo(48);
    assertThat(Statistic.P99.of(FIFTY)).as("the worst of fifty").isEqualTo(50);
    assertThat(Statistic.WORST.of(FIFTY)).isEqualTo(50);
    assertThat(Statistic.SUM.of(FIFTY)).isEqualTo(1275);
  }

  @Test
  void aPercentileIsTheSmallestValueThatIsNotBelowItsShare() {
    for (int count = 1; count <= 300; count++) {
      double[] values = IntStream.rangeClosed(1, count).asDoubleStream().toArray();
      for (var each :
          new Object[][] {{Statistic.P50, 50}, {Statistic.P95, 95}, {Statistic.P99, 99}}) {
        int percent = (int) each[1];
        double slow =
            Arrays.stream(values)
                .filter(value ->
                    100 * Arrays.stream(values).filter(other -> other <= value).count()
                        >= (long) percent * values.length)
                .findFirst()
                .orElseThrow();
        assertThat(((Statistic) each[0]).of(values)).as("%s of %d", each[0], count).isEqualTo(slow);
      }
    }
  }

  @Test
  void theOrderOfTheValuesDoesNotMatter() {
    double[] shuffled = {3, 1, 2};
    assertThat(Statistic.P50.of(shuffled)).isEqualTo(2);
    assertThat(shuffled).containsExactly(3, 1, 2);
  }

  @Test
  void withoutValuesThereIsNoStatistic() {
    assertThat(DoubleStream.of(Statistic.P50.of(new double[0]), Statistic.SUM.of(new double[0])))
        .allMatch(value -> Double.isNaN(value));
  }
}
