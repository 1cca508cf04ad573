package io.viaduct.billing.num;

import io.viaduct.billing.rating.Price;
import io.viaduct.billing.tariff.Curve;

/// Utility of a flow by its rate: concave and increasing.
interface Utility {
  /// Returns the utility of a rate.
  double of(double rate);

  /// Returns the derivative, which does not increase.
  double slope(double rate);

  /// Proportional fairness: the logarithm of the rate.
  static Utility logarithm() {
    return new Utility() {
      @Override
      public double of(double rate) {
        return Math.log(rate);
      }

      @Override
      public double slope(double rate) {
        return 1 / rate;
      }
    };
  }

  /// Returns the utility that a tariff gives a flow of kbit/s, in den/s.
  ///
  /// @param delayMs delay of the flow, which its rate does not change
  static Utility of(Curve curve, double delayMs) {
    return new Utility() {
      @Override
      public double of(double rate) {
        return Price.at(curve, rate, delayMs, 0).utilityPerSecond();
      }

      @Override
      public double slope(double rate) {
        return Price.at(curve, rate, delayMs, 0).utilityByThroughput();
      }
    };
  }
}
