package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Load.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/// Bytes before and after, and what it costs in delay; of the tunnels of others what they save.
record SavingsReport(Participants participants, List<Line> lines) {
  /// The same load by each way.
  ///
  /// @param outcomes by peer, the direct path's and ours among them
  record Line(Map<String, Outcome> outcomes) {
    Outcome direct() {
      return of(DirectPeer.NAME);
    }

    Outcome viaduct() {
      return of(ViaductPeer.NAME);
    }

    Outcome of(String peer) {
      return Objects.requireNonNull(outcomes.get(peer), peer);
    }

    double added(double percentile) {
      return milliseconds(viaduct().delays(), percentile)
          - milliseconds(direct().delays(), percentile);
    }
  }

  static double milliseconds(Histogram delays, double percentile) {
    return delays.getValueAtPercentile(percentile) / 1e6;
  }

  private String table() {
    List<String> others = participants.others();
    var text =
        new StringBuilder(
                "| class | payload | flows | bytes before | bytes after | saved % | goal % |")
            .append(" added delay p50 ms | p99 ms | lost |");
    others.forEach(peer -> text.append(' ').append(peer).append(" saved % |"));
    text.append("\n|---|---|---|--:|--:|--:|---|--:|--:|--:|")
        .append("--:|".repeat(others.size()))
        .append('\n');
    for (Line line : lines) {
      Outcome through = line.viaduct();
      text.append(
          String.format(
              Locale.ROOT,
              "| %s %d B | %s | %s | %d | %d | %.1f | %s | %.1f | %.1f | %d |",
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
              through.lost()));
      others.forEach(peer -> text.append(' ').append(saved(line.of(peer))).append(" |"));
      text.append('\n');
    }
    return text + participants.leftOut();
  }

  // What a tunnel has lost it has not saved.
  private static String saved(Outcome outcome) {
    String saved = String.format(Locale.ROOT, "%.1f", outcome.savedPercent());
    return outcome.lost() == 0 ? saved : saved + " (" + outcome.lost() + " lost)";
  }

  private static String goal(Outcome outcome) {
    return outcome.verdict().map(Verdict::toString).orElse("");
  }

  /// @param conditions get the peers' notes, too
  Report under(Map<String, String> conditions) {
    participants.describe(conditions);
    return new Report(
        "savings",
        "Bytes of IP packets before and after the tunnel",
        conditions,
        table(),
        Map.of(
            "missing",
            participants.missing(),
            "loads",
            lines.stream().map(this::numbers).toList()));
  }

  private Map<String, Object> numbers(Line line) {
    Outcome through = line.viaduct();
    var numbers = new LinkedHashMap<String, Object>();
    numbers.put("class", through.load().of());
    numbers.put("packetBytes", through.load().of().packetBytes);
    numbers.put("payload", through.load().kind().toString());
    numbers.put("flows", through.load().title());
    numbers.put("bytesBefore", through.before());
    numbers.put("bytesDirect", line.direct().after());
    numbers.put("bytesAfter", through.after());
    numbers.put("savedPercent", through.savedPercent());
    through.verdict().ifPresent(verdict -> numbers.put("goal", verdict));
    numbers.put("packetsSent", through.sent());
    numbers.put("packetsReceived", through.received());
    numbers.put("packetsStrange", through.strange());
    for (double percentile : new double[] {50, 99}) {
      int name = (int) percentile;
      numbers.put("delayMsP" + name, milliseconds(through.delays(), percentile));
      numbers.put("directDelayMsP" + name, milliseconds(line.direct().delays(), percentile));
    }
    participants
        .others()
        .forEach(peer ->
            numbers.put(
                peer,
                Map.of(
                    "bytesAfter", line.of(peer).after(),
                    "savedPercent", line.of(peer).savedPercent(),
                    "packetsReceived", line.of(peer).received(),
                    "delayMsP99", milliseconds(line.of(peer).delays(), 99))));
    return numbers;
  }
}
