package io.viaduct.billing.preview;

import io.viaduct.billing.rating.Price;
import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/// Prints the price of a megabyte of each class over throughput and delay, in den, as Markdown. The
/// throughput is the one that is priced: what a flow carried, or what its path offered.
final class PriceTable {
  private static final double[] THROUGHPUTS = {0.125, 0.5, 1, 2, 4, 8, 15, 60, 250};
  private static final double[] DELAYS = {0, 0.5, 1, 2, 4};

  private static final double KILOBITS_PER_MEGABYTE = 8000;

  private PriceTable() {}

  static String of(Tariff tariff) {
    return Arrays.stream(ServiceClass.values())
        .map(serviceClass -> table(serviceClass, tariff))
        .collect(Collectors.joining("\n"));
  }

  private static String table(ServiceClass serviceClass, Tariff tariff) {
    Curve curve = tariff.curve(serviceClass, "");
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "| %s: kbit/s | %s |%n|--:|%s%n",
            serviceClass.name().replace('_', '&'),
            Arrays.stream(DELAYS)
                .mapToObj(delay -> digits(4, delay * curve.referenceDelay()) + " ms")
                .collect(Collectors.joining(" | ")),
            "--:|".repeat(DELAYS.length)));
    for (double throughput : THROUGHPUTS) {
      double x = throughput * curve.referenceThroughput();
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s |%n",
              digits(4, x),
              Arrays.stream(DELAYS)
                  .mapToObj(delay -> digits(2, perMegabyte(curve, x, delay)))
                  .collect(Collectors.joining(" | "))));
    }
    return text.toString();
  }

  static double perMegabyte(Curve curve, double x, double delay) {
    Price price = Price.at(curve, x, delay * curve.referenceDelay(), 0.0);
    return price.perUnit() * KILOBITS_PER_MEGABYTE / curve.tariff().kappaThroughput();
  }

  static String digits(int count, double value) {
    BigDecimal rounded = new BigDecimal(value).round(new MathContext(count));
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }
}
