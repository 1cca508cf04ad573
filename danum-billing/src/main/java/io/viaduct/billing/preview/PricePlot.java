package io.viaduct.billing.preview;

import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/// Draws the price of a megabyte as SVG: a row for each class, over throughput and over delay.
final class PricePlot {
  private static final int WIDTH = 320;
  private static final int HEIGHT = 150;
  private static final int MARGIN = 66;
  private static final int POINTS = 240;

  /// Smallest and largest price on the axis, den/MB, as powers of ten.
  private static final int LOWEST = -3;

  private static final int HIGHEST = 3;
  private static final List<String> COLOURS = List.of("#0b6e99", "#b8500c", "#6b3fa0");

  private final StringBuilder svg = new StringBuilder();

  private PricePlot() {}

  static String of(Tariff tariff) {
    PricePlot plot = new PricePlot();
    ServiceClass[] classes = ServiceClass.values();
    int width = 2 * (WIDTH + MARGIN) + 20;
    int height = classes.length * (HEIGHT + MARGIN + 12) + 10;
    plot.add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
            + " font-size=\"11\" role=\"img\">",
        width, height);
    plot.add("<title>Price of a megabyte by class, over throughput and delay</title>");
    plot.add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", width, height);
    for (int row = 0; row < classes.length; row++) {
      Curve curve = tariff.curve(classes[row], "");
      int top = row * (HEIGHT + MARGIN + 12) + 28;
      plot.throughput(classes[row], curve, top);
      plot.delay(classes[row], curve, top);
    }
    plot.add("</svg>");
    return plot.svg.toString();
  }

  private void throughput(ServiceClass serviceClass, Curve curve, int top) {
    List<Double> delays = List.of(0.0, 1.0, 2.0);
    panel(
        MARGIN,
        top,
        title(serviceClass) + ": den/MB over kbit/s",
        "delay %s ms",
        delays.stream().map(d -> d * curve.referenceDelay()).toList());
    for (int power = -3; power <= 9; power += 2) {
      tick(
          MARGIN + WIDTH * (power + 3) / 12.0,
          top,
          Math.pow(2, power) * curve.referenceThroughput());
    }
    for (int i = 0; i < delays.size(); i++) {
      double delay = delays.get(i);
      line(MARGIN, top, COLOURS.get(i), at -> perMegabyte(curve, Math.pow(2, at * 12 - 3), delay));
    }
  }

  private void delay(ServiceClass serviceClass, Curve curve, int top) {
    int left = 2 * MARGIN + WIDTH;
    List<Double> throughputs = List.of(0.125, 1.0, 8.0);
    panel(
        left,
        top,
        title(serviceClass) + ": den/MB over ms",
        "%s kbit/s",
        throughputs.stream().map(x -> x * curve.referenceThroughput()).toList());
    for (int multiple = 0; multiple <= 6; multiple++) {
      tick(left + WIDTH * multiple / 6.0, top, multiple * curve.referenceDelay());
    }
    for (int i = 0; i < throughputs.size(); i++) {
      double throughput = throughputs.get(i);
      line(left, top, COLOURS.get(i), at -> perMegabyte(curve, throughput, at * 6));
    }
  }

  private static String title(ServiceClass serviceClass) {
    return serviceClass.name().replace("_", "&amp;");
  }

  // Throughput and delay are multiples of the references.
  private static double perMegabyte(Curve curve, double throughput, double delay) {
    return PriceTable.perMegabyte(curve, throughput * curve.referenceThroughput(), delay);
  }

  private void panel(int left, int top, String title, String legend, List<Double> values) {
    add("<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>", left, top - 10, title);
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>",
        left, top, WIDTH, HEIGHT);
    for (int power = LOWEST; power <= HIGHEST; power++) {
      double y = y(top, Math.pow(10, power));
      add(
          "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>",
          left, y, left + WIDTH, y);
      add(
          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
          left - 5, y + 4, PriceTable.digits(1, Math.pow(10, power)));
    }
    for (int i = 0; i < values.size(); i++) {
      add(
          "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s</text>",
          left + WIDTH - 6,
          top + 14 + 13 * i,
          COLOURS.get(i),
          legend.formatted(PriceTable.digits(4, values.get(i))));
    }
  }

  private void tick(double x, int top, double value) {
    add(
        "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
        x, top + HEIGHT + 14, PriceTable.digits(5, value));
  }

  // Prices below the axis are drawn at its lower edge: 0 has no logarithm.
  private void line(int left, int top, String colour, DoubleUnaryOperator price) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i <= POINTS; i++) {
      double at = (double) i / POINTS;
      points.append(
          String.format(
              Locale.ROOT, "%.1f,%.1f ", left + WIDTH * at, y(top, price.applyAsDouble(at))));
    }
    add(
        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"%s\"/>",
        colour, points.toString().strip());
  }

  private static double y(int top, double price) {
    double power = Math.log10(Math.max(price, Math.pow(10, LOWEST)));
    return top + HEIGHT * (HIGHEST - power) / (HIGHEST - LOWEST);
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
