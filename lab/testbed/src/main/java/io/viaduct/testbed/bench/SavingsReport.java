package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Load.Outcome;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Bytes before and after the tunnel and its added delay, with the savings of other tunnels.
record SavingsReport(Participants participants, List<SavingsLine> lines) {
  private static final String HOW_TO_READ =
      "bytes before are those of the IP packets that were sent; bytes after are those of all IP"
          + " packets between device and far end, both directions, control included. Added delay is"
          + " a percentile through the tunnel less the same percentile of the direct path, which"
          + " carries the same load in its turn: a difference of percentiles, not a percentile of"
          + " the packets' differences, and below 0 where the direct path had the worse moment."
          + " All tunnels run all the time: packets of their own, such as probes of the path MTU,"
          + " count for the tunnel that is being measured. There is no other traffic on the link. A lost packet counts before and has no delay";

  private String table() {
    List<String> others = participants.others();
    var text =
        new StringBuilder(
                "| class | payload | flows | bytes before | bytes after | saved % | goal % |")
            .append(" added delay p50 ms | p99 ms | goal ms | lost |");
    others.forEach(peer -> text.append(' ').append(peer).append(" saved % |"));
    text.append("\n|---|---|---|--:|--:|--:|---|--:|--:|---|--:|")
        .append("--:|".repeat(others.size()))
        .append('\n');
    for (SavingsLine line : lines) {
      Outcome through = line.viaduct();
      text.append(
          String.format(
              Locale.ROOT,
              "| %s %d B | %s | %s | %d | %d | %.1f | %s | %.1f | %.1f | %s | %d |",
              through.load().of(),
              through.load().of().packetBytes,
              through.load().kind(),
              through.load().title(),
              through.before(),
              through.after(),
              through.savedPercent(),
              goal(through.verdict()),
              line.addedMs(50),
              line.addedMs(99),
              goal(line.delayVerdict()),
              through.lost()));
      others.forEach(peer -> text.append(' ').append(saved(line.of(peer))).append(" |"));
      text.append('\n');
    }
    return text + participants.missingMarkdown();
  }

  // Lost packets are not saved bytes, so their number is shown.
  private static String saved(Outcome outcome) {
    String saved = String.format(Locale.ROOT, "%.1f", outcome.savedPercent());
    return outcome.lost() == 0 ? saved : saved + " (" + outcome.lost() + " lost)";
  }

  private static String goal(Optional<Verdict> verdict) {
    return verdict.map(Verdict::toString).orElse("");
  }

  /// Makes the report.
  ///
  /// @param conditions receives the peers' notes and an explanation of the table too
  Report under(Map<String, String> conditions) {
    participants.describe(conditions);
    conditions.put("how to read", HOW_TO_READ);
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

  private Map<String, Object> numbers(SavingsLine line) {
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
      numbers.put("delayMsP" + name, through.delayMs(percentile));
      numbers.put("directDelayMsP" + name, line.direct().delayMs(percentile));
      numbers.put("addedDelayMsP" + name, line.addedMs(percentile));
    }
    line.delayVerdict().ifPresent(verdict -> numbers.put("delayGoal", verdict));
    participants
        .others()
        .forEach(peer ->
            numbers.put(
                peer,
                Map.of(
                    "bytesAfter", line.of(peer).after(),
                    "savedPercent", line.of(peer).savedPercent(),
                    "packetsReceived", line.of(peer).received(),
                    "delayMsP99", line.of(peer).delayMs(99))));
    return numbers;
  }
}
