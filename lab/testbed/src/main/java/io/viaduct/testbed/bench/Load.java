package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.PacketFlow.Period;
import io.viaduct.testbed.bench.PacketFlow.Result;
import io.viaduct.testbed.report.Verdict;
import io.viaduct.testbed.traffic.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/// One or more flows of one class, with goals for savings and delay.
///
/// @param same true if all flows carry the same bytes, and in step if they have one rate
/// @param rateBitPerSecond of every flow; 0: spread over the range of the class
/// @param goalPercent bytes to save; below 0: most additional bytes; NaN: no goal
/// @param goalAddedMs most delay added to the direct path's p99, ms; NaN: no goal
record Load(
    TrafficClass of,
    PayloadKind kind,
    int flows,
    boolean same,
    double rateBitPerSecond,
    double goalPercent,
    double goalAddedMs) {
  private static final double STRAGGLERS_SECONDS = 0.7; // longer than the longest class deadline

  /// Result of a load.
  ///
  /// @param before bytes of sent IP packets
  /// @param after bytes of IP packets between device and far end, both directions, control included
  /// @param delays in nanoseconds
  record Outcome(
      Load load,
      long sent,
      long received,
      long strange,
      long before,
      long after,
      Histogram delays) {
    double savedPercent() {
      return 100.0 * (before - after) / before;
    }

    long lost() {
      return sent - received;
    }

    /// Returns a percentile of the delay in ms; NaN if no packet arrived.
    double delayMs(double percentile) {
      return delays.getTotalCount() == 0
          ? Double.NaN
          : delays.getValueAtPercentile(percentile) / 1e6;
    }

    /// Returns the verdict over the saved bytes; empty without a goal.
    Optional<Verdict> verdict() {
      double goal = load.goalPercent;
      return Double.isNaN(goal)
          ? Optional.empty()
          : Optional.of(
              goal < 0
                  ? Verdict.atMost(-goal, "% more", -savedPercent())
                  : Verdict.atLeast(goal, "%", savedPercent()));
    }
  }

  String title() {
    String title = flows == 1 ? "1 flow" : flows + " flows";
    if (same) {
      title += rateBitPerSecond == 0 ? ", same, each at its own rate" : ", same, in step";
    }
    return rateBitPerSecond == 0
        ? title
        : String.format(Locale.ROOT, "%s, %.0f kbit/s", title, rateBitPerSecond / 1e3);
  }

  /// Sends the load and counts the bytes.
  ///
  /// @param seed of the first flow; the following flows have the following seeds
  Outcome run(BenchNetwork network, Peer peer, long seed, double seconds, LongSupplier nanoTime) {
    var flowsToRun = new ArrayList<PacketFlow>();
    for (int i = 0; i < flows; i++) {
      double rate = rateBitPerSecond == 0 ? of.rate(i, flows) : rateBitPerSecond;
      PayloadKind.Payloads payloads = kind.from(same ? seed : seed + i);
      flowsToRun.add(new PacketFlow(network, of, i, rate, payloads, _ -> {}, nanoTime));
    }
    long before = network.passedBytes();
    Period period = Period.soon(nanoTime.getAsLong(), seconds, STRAGGLERS_SECONDS);
    List<CompletableFuture<Result>> running =
        flowsToRun.stream().map(flow -> flow.start(Way.UP, peer.target(), period)).toList();
    List<Result> results = running.stream().map(CompletableFuture::join).toList();
    long after = network.passedBytes() - before;
    var delays = new Histogram(3);
    results.forEach(result -> delays.add(result.delays()));
    long sent = results.stream().mapToLong(Result::sent).sum();
    long strange = results.stream().mapToLong(Result::strange).sum();
    return new Outcome(
        this, sent, delays.getTotalCount(), strange, sent * of.packetBytes, after, delays);
  }
}
