package io.viaduct.billing.num;

import java.util.List;

/// Maximise the sum of the utilities of flows whose rates fit on their links.
///
/// @param unit of rates and capacities
/// @param capacities of the links
// = ijans2015 eq.1
record Problem(String name, String unit, List<Double> capacities, List<Flow> flows) {
  /// A flow with a fixed way.
  ///
  /// @param links indices of its links
  record Flow(String name, Utility utility, List<Integer> links) {}

  /// Returns the rate that the narrowest link of a flow allows.
  double most(Flow flow) {
    return flow.links().stream().mapToDouble(capacities::get).min().orElseThrow();
  }

  /// Returns whether every link carries the rates of its flows.
  boolean isFeasible(double[] rates) {
    for (int link = 0; link < capacities.size(); link++) {
      if (load(link, rates) > capacities.get(link)) {
        return false;
      }
    }
    return true;
  }

  /// Returns the sum of the rates on a link.
  double load(int link, double[] rates) {
    double sum = 0;
    for (int flow = 0; flow < rates.length; flow++) {
      if (flows.get(flow).links().contains(link)) {
        sum += rates[flow];
      }
    }
    return sum;
  }

  /// Returns the sum of the utilities.
  double utility(double[] rates) {
    double sum = 0;
    for (int flow = 0; flow < rates.length; flow++) {
      sum += flows.get(flow).utility().of(rates[flow]);
    }
    return sum;
  }
}
