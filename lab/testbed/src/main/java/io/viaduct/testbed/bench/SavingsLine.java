package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Load.Outcome;
import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Verdict;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Results of one load by peer.
///
/// @param outcomes by peer, including the direct path's and ours
record SavingsLine(Map<String, Outcome> outcomes) {
  static final String HOW_TO_READ =
      "bytes before are those of the IP packets that were sent; bytes after are those of all IP"
          + " packets between device and far end, both directions, control included. Added delay is"
          + " a percentile through the tunnel less the same percentile of the direct path, which"
          + " carries the same load in its turn: a difference of percentiles, not a percentile of"
          + " the packets' differences, and below 0 where the direct path had the worse moment."
          + " All tunnels run all the time: packets of their own, such as probes of the path MTU,"
          + " count for the tunnel that is being measured. There is no other traffic on the link. A"
          + " lost packet counts before and has no delay";

  /// Returns the columns: bytes before and after our tunnel and its added delay, then the savings
  /// of other tunnels.
  static Grid<SavingsLine> grid(List<String> others) {
    var grid =
        new Grid<SavingsLine>()
            .cell("class", line -> line.load().of() + " " + line.load().of().packetBytes + " B")
            .member("class", line -> line.load().of())
            .member("packetBytes", line -> line.load().of().packetBytes)
            .text("payload", "payload", line -> line.load().kind().toString())
            .text("flows", "flows", line -> line.load().title())
            .text("bytes before", "bytesBefore", line -> line.viaduct().before())
            .member("bytesDirect", line -> line.direct().after())
            .text("bytes after", "bytesAfter", line -> line.viaduct().after())
            .number("saved %", "savedPercent", 1, line -> line.viaduct().savedPercent())
            .goal("goal %", "goal", line -> line.viaduct().verdict())
            .member("packetsSent", line -> line.viaduct().sent())
            .member("packetsReceived", line -> line.viaduct().received())
            .member("packetsStrange", line -> line.viaduct().strange());
    for (int percentile : new int[] {50, 99}) {
      grid.member("delayMsP" + percentile, line -> line.viaduct().delayMs(percentile))
          .member("directDelayMsP" + percentile, line -> line.direct().delayMs(percentile))
          .number(
              percentile == 50 ? "added delay p50 ms" : "p99 ms",
              "addedDelayMsP" + percentile,
              1,
              line -> line.addedMs(percentile));
    }
    grid.goal("goal ms", "delayGoal", SavingsLine::delayVerdict)
        .cell("lost", line -> line.viaduct().lost());
    for (String peer : others) {
      grid.cell(peer + " saved %", line -> saved(line.of(peer)))
          .member(peer, line -> members(line.of(peer)));
    }
    return grid;
  }

  // Lost packets are not saved bytes, so their number is shown.
  private static String saved(Outcome outcome) {
    String saved = String.format(Locale.ROOT, "%.1f", outcome.savedPercent());
    return outcome.lost() == 0 ? saved : saved + " (" + outcome.lost() + " lost)";
  }

  private static Map<String, Object> members(Outcome outcome) {
    return Map.of(
        "bytesAfter", outcome.after(),
        "savedPercent", outcome.savedPercent(),
        "packetsReceived", outcome.received(),
        "delayMsP99", outcome.delayMs(99));
  }

  private Load load() {
    return viaduct().load();
  }

  private Outcome direct() {
    return of(DirectPeer.NAME);
  }

  private Outcome viaduct() {
    return of(ViaductPeer.NAME);
  }

  private Outcome of(String peer) {
    return Objects.requireNonNull(outcomes.get(peer), peer);
  }

  /// Returns a percentile of our tunnel minus the same percentile of the direct path, in ms. It can
  /// be negative, because the two were measured one after the other. NaN if no packet arrived by
  /// one of them.
  private double addedMs(double percentile) {
    return viaduct().delayMs(percentile) - direct().delayMs(percentile);
  }

  /// Returns the verdict over the added delay; empty without a goal.
  Optional<Verdict> delayVerdict() {
    double most = load().goalAddedMs();
    return Double.isNaN(most)
        ? Optional.empty()
        : Optional.of(Verdict.atMost(most, "ms", addedMs(99)));
  }
}
