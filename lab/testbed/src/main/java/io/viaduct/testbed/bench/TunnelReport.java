package io.viaduct.testbed.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Medians for people and all samples for programs.
///
/// @param samples all of them
record TunnelReport(Participants participants, List<Row> rows, List<Sample> samples) {
  private record Line(String id, Map<String, Double> medians, List<Verdict> verdicts) {}

  /// Returns both tables: ours against the best peer, then all peers.
  private String tables() {
    return verdicts() + "\n" + everybody() + participants.missingMarkdown();
  }

  private String verdicts() {
    var text = new StringBuilder();
    text.append(
            "| what | unit | direct | viaduct | best peer | of best | of direct | goal: reached |\n")
        .append("|---|---|--:|--:|--:|--:|--:|---|\n");
    var medians = medians();
    for (Row row : filled()) {
      double ours = medians.of(row, ViaductPeer.NAME);
      double direct = medians.of(row, DirectPeer.NAME);
      String peer = medians.bestPeer(row).orElse("");
      double best = medians.of(row, peer);
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %s | %s | %s | %s | %s |%n",
              row.title(),
              row.unit(),
              row.format(direct),
              row.format(ours),
              peer.isEmpty() ? "–" : row.format(best) + " " + peer,
              ratio(ours, best),
              ratio(ours, direct),
              verdicts(row, medians)));
    }
    return text.toString();
  }

  private String verdicts(Row row, Medians medians) {
    return row.goals().stream()
        .map(goal -> goal.judge(row, medians).toString())
        .collect(Collectors.joining("; "));
  }

  private String everybody() {
    var text = new StringBuilder("| what | unit |");
    Set<String> names = participants.roles().keySet();
    names.forEach(peer -> text.append(' ').append(peer).append(" |"));
    text.append("\n|---|---|").append("--:|".repeat(names.size())).append('\n');
    var medians = medians();
    for (Row row : filled()) {
      text.append("| ").append(row.title()).append(" | ").append(row.unit()).append(" |");
      for (String peer : names) {
        text.append(' ').append(row.format(medians.of(row, peer))).append(" |");
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static String ratio(double ours, double other) {
    double ratio = ours / other;
    return Double.isFinite(ratio) ? String.format(Locale.ROOT, "%.2f ×", ratio) : "–";
  }

  private Medians medians() {
    return new Medians(samples, participants.roles());
  }

  private List<Row> filled() {
    var ids = samples.stream().map(Sample::row).collect(Collectors.toSet());
    return rows.stream().filter(row -> ids.contains(row.id())).toList();
  }

  /// Makes the report.
  ///
  /// @param conditions receives the peers' notes too
  Report under(Map<String, String> conditions) {
    participants.describe(conditions);
    var medians = medians();
    var lines =
        filled().stream()
            .map(row -> new Line(row.id(), all(row, medians), verdictsOf(row, medians)))
            .toList();
    var numbers = new LinkedHashMap<String, Object>();
    numbers.put("peers", participants.notes());
    numbers.put("missing", participants.missing());
    numbers.put("rows", lines);
    numbers.put("samples", samples);
    return new Report(
        "tunnel",
        "Viaduct's tunnel beside the direct path and other tunnels",
        conditions,
        tables(),
        numbers);
  }

  private Map<String, Double> all(Row row, Medians medians) {
    var all = new LinkedHashMap<String, Double>();
    for (String peer : participants.roles().keySet()) {
      double median = medians.of(row, peer);
      if (!Double.isNaN(median)) {
        all.put(peer, median);
      }
    }
    return all;
  }

  private List<Verdict> verdictsOf(Row row, Medians medians) {
    return row.goals().stream().map(goal -> goal.judge(row, medians)).toList();
  }
}
