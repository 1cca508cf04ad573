package io.viaduct.billing.rest;

import tools.jackson.databind.JsonNode;

/// Computes a charge again from its explanation alone, as a page in a browser would: the slow
/// oracle beside the rater. It has the order of operations of the price, but none of its code.
final class RecomputedCharge {
  private final JsonNode explained;
  private final JsonNode curve;
  private final double delayMs;
  private final double loss;

  private RecomputedCharge(JsonNode explained) {
    this.explained = explained;
    curve = explained.get("curve");
    delayMs = explained.at("/inputs/delayMs").asDouble();
    loss = explained.at("/inputs/loss").asDouble();
  }

  /// Returns the charge, micro-denarii.
  static long of(JsonNode explained) {
    return new RecomputedCharge(explained).charge();
  }

  private long charge() {
    double bytes = Double.parseDouble(explained.at("/inputs/preBytes").asString());
    double units = bytes * 8.0 / 1000.0 / number("kappa-throughput");
    if (explained.get("point").asString().equals("MEASURED")) {
      double ms = explained.at("/inputs/durationMs").asDouble();
      double[] here = price(bytes * 8.0 / ms);
      return Math.min(micro(here[1] * units), micro(here[0] * (ms / 1000.0)));
    }
    double ms = explained.at("/inputs/intervalMs").asDouble();
    double total = 0;
    double all = 0;
    double room = 0;
    for (JsonNode flow : explained.get("together")) {
      double carried = Double.parseDouble(flow.get("preBytes").asString());
      total = total + carried * 8.0 / ms;
      all += carried;
      double busy = flow.get("busy").isNull() ? 1.0 : flow.get("busy").asDouble();
      double spare =
          flow.get("spareKbitPerSecond").isNull() ? 0.0 : flow.get("spareKbitPerSecond").asDouble();
      room = Math.max(room, (1.0 - busy) * spare);
    }
    double priced = price(total + room)[1] * units;
    double received = price(total)[0] * (ms / 1000.0) * (all == 0 ? 0 : bytes / all);
    return Math.min(micro(priced), micro(received));
  }

  // Utility rate and price of a unit at a throughput.
  private double[] price(double x) {
    double xRef = number("reference-throughput");
    double dRef = number("reference-delay");
    JsonNode m = curve.get("throughput-marginal");
    JsonNode n = curve.get("delay-marginal");
    double[] atX = integral(m, x / xRef);
    double[] atD = integral(n, delayMs / dRef);
    double wholeX = integral(m, Double.MAX_VALUE)[1];
    double wholeD = integral(n, Double.MAX_VALUE)[1];
    double a = atX[1] / wholeX;
    double b = 1.0 - atD[1] / wholeD;
    double scale = number("weight") * Math.max(0.0, 1.0 - number("loss-slope") * loss);
    double ux = scale * b * (atX[0] / (wholeX * xRef));
    double ud = -(scale * a * (atD[0] / (wholeD * dRef)));
    return new double[] {
      scale * a * b, Math.max(0.0, ux * number("kappa-throughput") + ud * number("kappa-delay"))
    };
  }

  private static double[] integral(JsonNode table, double upto) {
    double area = 0;
    for (int i = 0; i + 1 < table.size(); i++) {
      double k0 = table.get(i).get(0).asDouble();
      double v0 = table.get(i).get(1).asDouble();
      double k1 = table.get(i + 1).get(0).asDouble();
      double v1 = table.get(i + 1).get(1).asDouble();
      if (upto < k1) {
        double step = upto - k0;
        double value = v0 + (v1 - v0) / (k1 - k0) * step;
        return new double[] {value, area + (v0 + value) * step / 2.0};
      }
      area = area + (v0 + v1) * (k1 - k0) / 2.0;
    }
    return new double[] {0, area};
  }

  private double number(String key) {
    return curve.get(key).asDouble();
  }

  private static long micro(double denarii) {
    return (long) Math.rint(denarii * 1e6);
  }
}
