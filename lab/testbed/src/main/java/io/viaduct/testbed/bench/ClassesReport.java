package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.PacketFlow.Result;
import io.viaduct.testbed.traffic.Way;
import io.viaduct.tunnel.terms.TunnelSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Delay and share by class on saturated lines, without and with the tunnel.
record ClassesReport(Participants participants, List<Line> lines) {
  private static final double FLOOR_PERCENT = TunnelSettings.defaults().floorPercent();

  /// Result of one class in one run.
  ///
  /// @param rateBitPerSecond offered rate of IP packets
  /// @param alone result without bulk load; null for bulk
  record Line(
      AccessLine access,
      Bulk bulk,
      Way way,
      String peer,
      TrafficClass of,
      double rateBitPerSecond,
      double seconds,
      Result result,
      @Nullable Result alone) {
    double arrivedKbitPerSecond() {
      return result.received() * of.packetBytes * 8 / seconds / 1e3;
    }

    double lostPercent() {
      return 100.0 * (result.sent() - result.received()) / Math.max(1, result.sent());
    }

    double delayMs(double percentile) {
      return result.delays().getValueAtPercentile(percentile) / 1e6;
    }

    /// Compares the delay with the limit of the class's most sensitive application.
    Verdict delay() {
      return Verdict.atMost(of.delayMsMax, "ms", delayMs(99));
    }

    private boolean isSameRun(Line other) {
      return access.equals(other.access)
          && bulk == other.bulk
          && way == other.way
          && peer.equals(other.peer);
    }

    /// Returns the delay without bulk load; NaN for bulk.
    double aloneMs(double percentile) {
      return alone == null ? Double.NaN : alone.delays().getValueAtPercentile(percentile) / 1e6;
    }
  }

  private String table() {
    var text =
        new StringBuilder(
                "| line Mbit/s | bulk | way | by | class | offered kbit/s | arrived kbit/s |")
            .append(" share % | lost % | delay alone p50 ms | p99 ms | with bulk p50 ms | p95 ms |")
            .append(" p99 ms | p99 of Table I | floor |\n")
            .append("|---|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|\n");
    for (Line line : lines) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %s | %s | %.0f | %.0f | %.1f | %.1f | %s | %s | %.1f | %.1f | %.1f | %s | %s |%n",
              line.access,
              line.bulk,
              line.way.name().toLowerCase(Locale.ROOT),
              line.peer,
              line.of,
              line.rateBitPerSecond / 1e3,
              line.arrivedKbitPerSecond(),
              share(line),
              line.lostPercent(),
              number(line.aloneMs(50)),
              number(line.aloneMs(99)),
              line.delayMs(50),
              line.delayMs(95),
              line.delayMs(99),
              ours(line) ? line.delay() : "",
              floor(line).map(Verdict::toString).orElse("")));
    }
    return text + participants.missingMarkdown();
  }

  private static String number(double ms) {
    return Double.isNaN(ms) ? "" : String.format(Locale.ROOT, "%.1f", ms);
  }

  /// Returns the percentage of the bytes that arrived at the same time.
  private double share(Line line) {
    return 100 * line.arrivedKbitPerSecond() / arrived(line, other -> true);
  }

  private static boolean ours(Line line) {
    return line.peer.equals(ViaductPeer.NAME);
  }

  /// Compares a saturating class's bytes with the bytes of the classes above it. Empty without the
  /// tunnel, which then has no classes.
  private Optional<Verdict> floor(Line line) {
    return ours(line) && line.bulk.saturates(line.of)
        ? Optional.of(
            Verdict.atLeast(
                FLOOR_PERCENT,
                "% of the higher",
                100
                    * line.arrivedKbitPerSecond()
                    / arrived(line, other -> other.of.isAbove(line.of))))
        : Optional.empty();
  }

  private double arrived(Line line, Predicate<Line> which) {
    return lines.stream()
        .filter(line::isSameRun)
        .filter(which)
        .mapToDouble(Line::arrivedKbitPerSecond)
        .sum();
  }

  /// Makes the report.
  ///
  /// @param conditions receives the peers' notes too
  Report under(Map<String, String> conditions) {
    participants.describe(conditions);
    return new Report(
        "classes",
        "Classes on a line that is too small for all of them",
        conditions,
        table(),
        Map.of(
            "missing",
            participants.missing(),
            "lines",
            lines.stream().map(this::numbers).toList()));
  }

  private Map<String, Object> numbers(Line line) {
    var numbers = new LinkedHashMap<String, Object>();
    numbers.put("lineMbitPerSecond", line.access.toString());
    numbers.put("bulk", line.bulk);
    numbers.put("way", line.way);
    numbers.put("by", line.peer);
    numbers.put("class", line.of);
    numbers.put("offeredKbitPerSecond", line.rateBitPerSecond / 1e3);
    numbers.put("arrivedKbitPerSecond", line.arrivedKbitPerSecond());
    numbers.put("sharePercent", share(line));
    numbers.put("packetsSent", line.result.sent());
    numbers.put("packetsReceived", line.result.received());
    for (int percentile : new int[] {50, 95, 99}) {
      numbers.put("delayMsP" + percentile, line.delayMs(percentile));
      if (line.alone != null) {
        numbers.put("aloneDelayMsP" + percentile, line.aloneMs(percentile));
      }
    }
    if (ours(line)) {
      numbers.put("delayGoal", line.delay());
    }
    floor(line).ifPresent(goal -> numbers.put("floorGoal", goal));
    return numbers;
  }
}
