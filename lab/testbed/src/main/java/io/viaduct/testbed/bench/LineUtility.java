package io.viaduct.testbed.bench;

import io.viaduct.tunnel.scheduling.ClassUtility;
import io.viaduct.tunnel.terms.Scheduling;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/// Compares the sum of the utilities of flows with the largest sum that the same bytes could have
/// had (main paper, equation 1). The largest sum is found without the network: by the price at
/// which the demands of all flows are the bytes.
final class LineUtility {
  /// Seconds that the ends need to learn the rate of the line.
  private static final int LEARNING_SECONDS = 2;

  private static final List<ClassUtility> UTILITIES = Scheduling.defaults().utilities();

  private final List<FlowSeconds> flows;
  private final double carried;

  LineUtility(List<FlowSeconds> flows) {
    this.flows = List.copyOf(flows);
    this.carried = seconds().mapToDouble(this::sum).average().orElse(Double.NaN);
  }

  /// Returns the utility over all seconds, in percent of the largest.
  double percent() {
    return 100 * utility(flows.stream().mapToDouble(this::mean).toArray()) / utility(best());
  }

  /// Returns the utility of the worst second, in percent of the largest with the mean bytes of a
  /// second.
  double worstPercent() {
    double best = utility(best());
    return seconds().mapToDouble(i -> 100 * utility(rates(i)) / best).min().orElse(Double.NaN);
  }

  private IntStream seconds() {
    int most = flows.stream().mapToInt(FlowSeconds::seconds).min().orElse(0);
    return IntStream.range(Math.min(LEARNING_SECONDS, most), most);
  }

  private double[] rates(int second) {
    return flows.stream().mapToDouble(each -> each.rate(second)).toArray();
  }

  private double sum(int second) {
    return flows.stream().mapToDouble(each -> each.rate(second)).sum();
  }

  private double mean(FlowSeconds flow) {
    return seconds().mapToDouble(flow::rate).average().orElse(Double.NaN);
  }

  private double utility(double[] rates) {
    double sum = 0;
    for (int i = 0; i < rates.length; i++) {
      sum += of(flows.get(i)).of(rates[i]);
    }
    return sum;
  }

  private static ClassUtility of(FlowSeconds flow) {
    return UTILITIES.get(ServiceClass.valueOf(flow.of().name()).ordinal());
  }

  private double[] best() {
    double low = 1e-15;
    double high = 1;
    for (int i = 0; i < 200; i++) {
      double price = Math.sqrt(low * high);
      if (demands(price).sum() > carried) {
        low = price;
      } else {
        high = price;
      }
    }
    return demands(high).toArray();
  }

  private DoubleStream demands(double price) {
    return flows.stream().mapToDouble(each -> of(each).demand(price, 1));
  }
}
