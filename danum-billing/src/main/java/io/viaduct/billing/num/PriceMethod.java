package io.viaduct.billing.num;

import java.util.Arrays;

/// Solves a problem as a network does it, without anybody who knows all of it. Each link has a
/// virtual queue. A flow sends the rate at which its marginal utility equals the sum of the queues
/// on its way, divided by V; so the backlog of a queue is the price of its link, times V
/// (drift-plus-penalty).
// = ijans2015 section VIII
final class PriceMethod {
  private static final int STEPS = 40_000;
  private static final int HALVINGS = 60;

  /// Backlog of a queue at the optimum, in steps of a link's capacity. A larger one is more exact
  /// and takes longer to fill.
  private static final double BACKLOG_STEPS = 400;

  /// The result.
  ///
  /// @param rates of the flows, means of the second half of the steps
  /// @param prices of the links, likewise: utility per unit of rate
  record Solution(double[] rates, double[] prices) {}

  private final Problem problem;
  private final double v;

  PriceMethod(Problem problem) {
    this.problem = problem;
    this.v = weight();
  }

  // V is such that the backlog of a link at its fair share is BACKLOG_STEPS.
  private double weight() {
    double most = 0;
    for (Problem.Flow flow : problem.flows()) {
      double share = problem.most(flow) / problem.flows().size();
      most = Math.max(most, flow.utility().slope(share) / problem.most(flow));
    }
    return BACKLOG_STEPS / most;
  }

  /// Runs the network until its queues stand.
  Solution solve() {
    double[] backlog = new double[problem.capacities().size()];
    double[] rates = new double[problem.flows().size()];
    double[] rateSum = new double[rates.length];
    double[] backlogSum = new double[backlog.length];
    for (int step = 0; step < STEPS; step++) {
      for (int flow = 0; flow < rates.length; flow++) {
        rates[flow] = rate(problem.flows().get(flow), backlog);
      }
      for (int link = 0; link < backlog.length; link++) {
        double arrived = problem.load(link, rates);
        backlog[link] = Math.max(0, backlog[link] + arrived - problem.capacities().get(link));
      }
      if (step >= STEPS / 2) {
        add(rateSum, rates, 1);
        add(backlogSum, backlog, 1 / v);
      }
    }
    return new Solution(mean(rateSum), mean(backlogSum));
  }

  /// Returns the rate at which the marginal utility is the price of the way.
  private double rate(Problem.Flow flow, double[] backlog) {
    double price = flow.links().stream().mapToDouble(link -> backlog[link]).sum() / v;
    double low = 0;
    double high = problem.most(flow);
    for (int i = 0; i < HALVINGS; i++) {
      double middle = (low + high) / 2;
      if (flow.utility().slope(middle) > price) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  private static void add(double[] sums, double[] values, double factor) {
    Arrays.setAll(sums, i -> sums[i] + values[i] * factor);
  }

  private static double[] mean(double[] sums) {
    return Arrays.stream(sums).map(sum -> sum / (STEPS - STEPS / 2)).toArray();
  }
}
