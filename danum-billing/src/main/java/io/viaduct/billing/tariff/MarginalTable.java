package io.viaduct.billing.tariff;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.List;

/// A marginal utility curve: linear between its knots, zero after the last one. Knots are
/// dimensionless (a measurement divided by its reference). The integral is exact, so the
/// interpolated marginal is exactly the derivative of the utility.
// = ijans2015 section VIII-C
public final class MarginalTable {
  /// Most knots of a table. The limit bounds the work of one rating.
  public static final int KNOTS_MAX = 64;

  private final double[] knots;
  private final double[] values;
  private final double area;

  /// Value and integral from zero at one point.
  public record Point(double value, double area) {}

  /// Checks the knots and computes the area.
  ///
  /// @param pairs `[knot, value]` in ascending order
  /// @throws TariffRefusedException naming the knot and the rule that it breaks
  @JsonCreator
  public MarginalTable(List<double[]> pairs) {
    if (pairs.size() < 2 || pairs.size() > KNOTS_MAX) {
      throw new TariffRefusedException(
          TariffRule.KNOT_COUNT, "a table has 2 to " + KNOTS_MAX + " knots, got " + pairs.size());
    }
    knots = new double[pairs.size()];
    values = new double[pairs.size()];
    for (int i = 0; i < knots.length; i++) {
      double[] pair = pairs.get(i);
      if (pair.length != 2) {
        throw TariffRefusedException.ofKnot(
            TariffRule.KNOT_COUNT,
            i,
            "knot " + i + " must be [knot, value], got " + pair.length + " numbers");
      }
      knots[i] = pair[0];
      values[i] = pair[1];
      checkKnot(i);
    }
    int last = knots.length - 1;
    if (values[last] != 0.0) {
      throw TariffRefusedException.ofKnot(
          TariffRule.LAST_VALUE_ZERO, last, at(last) + " must have the value 0, as it is the last");
    }
    area = integralTo(knots[last]).area();
    if (!(area > 0.0) || !Double.isFinite(area)) {
      throw new TariffRefusedException(
          TariffRule.AREA_POSITIVE, "the area under a table must be positive, is " + area);
    }
  }

  private void checkKnot(int i) {
    if (!Double.isFinite(knots[i]) || !Double.isFinite(values[i]) || values[i] < 0.0) {
      throw TariffRefusedException.ofKnot(
          TariffRule.FINITE_NOT_NEGATIVE,
          i,
          at(i) + " must be finite with a finite value >= 0, has " + values[i]);
    }
    if (i == 0 ? knots[0] != 0.0 : !(knots[i] > knots[i - 1])) {
      throw TariffRefusedException.ofKnot(
          TariffRule.KNOTS_INCREASE,
          i,
          at(i) + (i == 0 ? " must be 0, as it is the first" : " must be above " + knots[i - 1]));
    }
  }

  /// Refuses a table that rises. Its utility would not be concave, and a charge could exceed the
  /// utility received.
  MarginalTable requireNonIncreasing() {
    for (int i = 1; i < values.length; i++) {
      if (values[i] > values[i - 1]) {
        throw TariffRefusedException.ofKnot(
            TariffRule.NON_INCREASING,
            i,
            at(i) + " has the value " + values[i] + ", must not exceed " + values[i - 1]);
      }
    }
    return this;
  }

  private String at(int i) {
    return "knot " + i + " (" + knots[i] + ")";
  }

  /// Returns value and integral at `upto`. The order of operations is fixed and shared by every
  /// implementation of the price.
  public Point integralTo(double upto) {
    double sum = 0.0;
    for (int i = 0; i < knots.length - 1; i++) {
      double k0 = knots[i];
      double v0 = values[i];
      double k1 = knots[i + 1];
      double v1 = values[i + 1];
      if (upto < k1) {
        double slope = (v1 - v0) / (k1 - k0);
        double step = upto - k0;
        double value = v0 + slope * step;
        return new Point(value, sum + (v0 + value) * step / 2.0);
      }
      sum = sum + (v0 + v1) * (k1 - k0) / 2.0;
    }
    return new Point(0.0, sum);
  }

  /// Returns the area under the whole curve.
  public double area() {
    return area;
  }

  /// Returns the `[knot, value]` pairs, as in a tariff file.
  @JsonValue
  public List<double[]> pairs() {
    List<double[]> pairs = new ArrayList<>();
    for (int i = 0; i < knots.length; i++) {
      pairs.add(new double[] {knots[i], values[i]});
    }
    return pairs;
  }
}
