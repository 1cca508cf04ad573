package io.viaduct.billing.num;

import io.viaduct.billing.preview.DraftOption;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// Solves small networks by price and by exhaustive search, and prints both.
@Command(
    name = "num",
    description = {
      "Maximise the utility of small networks by price, as their flows would, and by exhaustive"
          + " search. Exit code 1 if they differ by 1 %% of the utility or more."
    },
    mixinStandardHelpOptions = true)
public final class NumCommand implements Callable<Integer> {
  private static final double GAP_MAX = 0.01;

  @Mixin private DraftOption draft = new DraftOption();

  @Override
  public Integer call() throws IOException {
    boolean isClose = true;
    for (Problem problem : Examples.all(draft.read())) {
      PriceMethod.Solution priced = new PriceMethod(problem).solve();
      double[] best = new ExhaustiveSearch(problem).solve();
      double gap = gap(problem, priced, best);
      isClose &= gap < GAP_MAX;
      print(problem, priced, best, gap);
    }
    return isClose ? 0 : 1;
  }

  /// Returns by what part of a flow's utility the two differ on average, so that it has a meaning
  /// for logarithms too, whose sum may be 0.
  static double gap(Problem problem, PriceMethod.Solution priced, double[] best) {
    double worth = 0;
    for (int flow = 0; flow < best.length; flow++) {
      worth += problem.flows().get(flow).utility().slope(best[flow]) * best[flow];
    }
    double scale = Math.max(worth, Math.abs(problem.utility(best)));
    return Math.abs(problem.utility(best) - problem.utility(priced.rates())) / scale;
  }

  private static void print(
      Problem problem, PriceMethod.Solution priced, double[] best, double gap) {
    String prices =
        java.util.Arrays.stream(priced.prices())
            .mapToObj(price -> String.format(Locale.ROOT, "%.3g", price))
            .collect(Collectors.joining(", "));
    System.out.printf(
        Locale.ROOT,
        "%n%s: prices of the links %s; utility %.5f by price, %.5f at most: %.3f %% apart%n",
        problem.name(),
        prices,
        problem.utility(priced.rates()),
        problem.utility(best),
        gap * 100);
    System.out.printf("  %-16s %12s %12s %16s%n", "flow", "by price", "by search", "marginal");
    for (int i = 0; i < best.length; i++) {
      Problem.Flow flow = problem.flows().get(i);
      System.out.printf(
          Locale.ROOT,
          "  %-16s %12.4f %12.4f %16.3g   %s%n",
          flow.name(),
          priced.rates()[i],
          best[i],
          flow.utility().slope(priced.rates()[i]),
          problem.unit());
    }
  }
}
