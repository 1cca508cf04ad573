package io.viaduct.billing.num;

/// Finds the best rates by trying them: a grid over all flows, then a finer one around its best
/// point, and so on. Slow and obvious; the sum of concave utilities has one maximum.
final class ExhaustiveSearch {
  private static final int POINTS = 16;
  private static final int ZOOMS = 24;
  private static final double ZOOM = 0.6;

  private final Problem problem;
  private final double[] centre;
  private final double[] width;
  private double[] best;
  private double bestUtility = Double.NEGATIVE_INFINITY;

  ExhaustiveSearch(Problem problem) {
    this.problem = problem;
    width = problem.flows().stream().mapToDouble(problem::most).toArray();
    centre = problem.flows().stream().mapToDouble(flow -> problem.most(flow) / 2).toArray();
    best = centre.clone();
  }

  /// Returns the best rates.
  double[] solve() {
    for (int zoom = 0; zoom < ZOOMS; zoom++) {
      tryAll(new double[centre.length], 0);
      System.arraycopy(best, 0, centre, 0, centre.length);
      for (int flow = 0; flow < width.length; flow++) {
        width[flow] *= ZOOM;
      }
    }
    return best.clone();
  }

  private void tryAll(double[] rates, int flow) {
    if (flow == rates.length) {
      consider(rates);
      return;
    }
    for (int point = 0; point <= POINTS; point++) {
      double rate = centre[flow] + width[flow] * (point / (double) POINTS - 0.5);
      if (rate > 0) {
        rates[flow] = rate;
        tryAll(rates, flow + 1);
      }
    }
  }

  private void consider(double[] rates) {
    if (problem.isFeasible(rates)) {
      double utility = problem.utility(rates);
      if (utility > bestUtility) {
        bestUtility = utility;
        best = rates.clone();
      }
    }
  }
}
