package io.viaduct.tunnel.scheduling;

/// Utility of the rate of a class's flows: each flow has weight × ln(1 + rate / reference), which
/// is concave and has a finite slope at rate 0 (main paper, equation 1).
///
/// @param weight above 0
/// @param reference bytes per second at which the slope is half of that at 0
public record ClassUtility(double weight, double reference) {
  /// Returns the utility of one flow.
  ///
  /// @param rate bytes per second
  public double of(double rate) {
    return weight * Math.log1p(rate / reference);
  }

  /// Returns the marginal utility of a class: the slope at the rate that each flow has if all have
  /// the same.
  ///
  /// @param rate bytes per second of the class
  /// @param flows above 0
  public double slope(double rate, double flows) {
    return weight / (reference + rate / flows);
  }

  /// Returns the rate of a class at which its marginal utility is the price, in bytes per second; 0
  /// if it is below the price at every rate.
  public double demand(double price, double flows) {
    return flows * Math.max(0, weight / price - reference);
  }
}
