package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Load.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/// Bytes before and after, and what it costs in delay.
record SavingsReport(List<Line> lines) {
  /// The same load, twice.
  record Line(Outcome direct, Outcome viaduct) {
    double added(double percentile) {
      return milliseconds(viaduct.delays(), percentile) - milliseconds(direct.delays(), percentile);
    }
  }

  static double milliseconds(Histogram delays, double percentile) {
    return delays.getValueAtPercentile(percentile) / 1e6;
  }

  private String table() {
    var text =
        new StringBuilder(
                "| class | payload | flows | bytes before | bytes after | saved % | goal % |")
            .append(
                " added delay p50 ms | p99 ms | lost |\n|---|---|---|--:|--:|--:|---|--:|--:|--:|\n");
    for (Line line : lines) {
      Outcome through = line.viaduct;
      text.append(
          String.format(
              Locale.ROOT,
              "| %s %d B | %s | %s | %d | %d | %.1f | %s | %.1f | %.1f | %d |%n",
              through.load().of(),
              through.load().of().packetBytes,
              through.load().kind(),
              through.load().title(),
              through.before(),
              through.after(),
              through.savedPercent(),
              goal(through),
              line.added(50),
              line.added(99),
              through.sent() - through.received()));
    }
    return text.toString();
  }

  private static String goal(Outcome outcome) {
    return outcome.verdict().map(Verdict::toString).orElse("");
  }

  Report under(Map<String, String> conditions) {
    return new Report(
        "savings",
        "Bytes of IP packets before and after the tunnel",
        conditions,
        table(),
        Map.of("loads", lines.stream().map(SavingsReport::numbers).toList()));
  }

  private static Map<String, Object> numbers(Line line) {
    Outcome through = line.viaduct;
    var numbers = new LinkedHashMap<String, Object>();
    numbers.put("class", through.load().of());
    numbers.put("packetBytes", through.load().of().packetBytes);
    numbers.put("payload", through.load().kind().toString());
    numbers.put("flows", through.load().title());
    numbers.put("bytesBefore", through.before());
    numbers.put("bytesDirect", line.direct.after());
    numbers.put("bytesAfter", through.after());
    numbers.put("savedPercent", through.savedPercent());
    through.verdict().ifPresent(verdict -> numbers.put("goal", verdict));
    numbers.put("packetsSent", through.sent());
    numbers.put("packetsReceived", through.received());
    numbers.put("packetsStrange", through.strange());
    for (double percentile : new double[] {50, 99}) {
      int name = (int) percentile;
      numbers.put("delayMsP" + name, milliseconds(through.delays(), percentile));
      numbers.put("directDelayMsP" + name, milliseconds(line.direct.delays(), percentile));
    }
    return numbers;
  }
}
