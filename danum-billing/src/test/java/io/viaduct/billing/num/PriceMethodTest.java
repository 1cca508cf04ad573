package io.viaduct.billing.num;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.viaduct.billing.tariff.TariffDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PriceMethodTest {
  private static final double HUNDREDTH = 0.01;

  @Test
  void twoEqualFlowsHaveHalfOfALinkAndTheBacklogIsItsPrice() {
    PriceMethod.Solution solution = new PriceMethod(Examples.oneLink()).solve();
    assertThat(solution.rates()).containsExactly(new double[] {0.5, 0.5}, within(0.005));
    assertThat(solution.prices()[0]).isCloseTo(2, within(0.02)); // U'(0.5)
  }

  @Test
  void aFlowOverTwoLinksHasHalfOfWhatTheShortOnesHave() {
    PriceMethod.Solution solution = new PriceMethod(Examples.line()).solve();
    assertThat(solution.rates())
        .containsExactly(new double[] {1 / 3.0, 2 / 3.0, 2 / 3.0}, within(0.005));
  }

  @ParameterizedTest
  @ValueSource(doubles = {100, 400, 1000, 3000})
  void aFlowOfEachClassComesWithinAHundredthOfWhatASearchFinds(double kbitPerSecond) {
    Problem problem = Examples.classes(TariffDocument.initial(), kbitPerSecond);
    PriceMethod.Solution solution = new PriceMethod(problem).solve();
    double[] best = new ExhaustiveSearch(problem).solve();
    assertThat(NumCommand.gap(problem, solution, best)).isLessThan(HUNDREDTH);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void randomNetworksComeWithinAHundredthOfWhatASearchFinds(long seed) {
    Problem problem = random(new Random(seed));
    PriceMethod.Solution solution = new PriceMethod(problem).solve();
    double[] best = new ExhaustiveSearch(problem).solve();
    assertThat(NumCommand.gap(problem, solution, best))
        .as("seed %d: %s", seed, problem)
        .isLessThan(HUNDREDTH);
    for (int link = 0; link < problem.capacities().size(); link++) {
      assertThat(problem.load(link, solution.rates()))
          .as("seed %d, link %d", seed, link)
          .isLessThanOrEqualTo(problem.capacities().get(link) * 1.005);
    }
  }

  /// Two or three links, three flows with one or more of them.
  private static Problem random(Random random) {
    List<Double> capacities = new ArrayList<>();
    int links = 2 + random.nextInt(2);
    for (int link = 0; link < links; link++) {
      capacities.add(1 + 9 * random.nextDouble());
    }
    List<Problem.Flow> flows = new ArrayList<>();
    for (int flow = 0; flow < 3; flow++) {
      List<Integer> way = new ArrayList<>(List.of(random.nextInt(links)));
      for (int link = 0; link < links; link++) {
        if (!way.contains(link) && random.nextBoolean()) {
          way.add(link);
        }
      }
      flows.add(new Problem.Flow("flow " + flow, Utility.logarithm(), way));
    }
    return new Problem("random", "units", capacities, flows);
  }
}
