package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.PacketFlow.Period;
import io.viaduct.testbed.bench.PacketFlow.Result;
import io.viaduct.testbed.traffic.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/// Flows of one class at a time, and what is to be saved on them.
///
/// @param same whether all flows carry the same bytes, in step if they have one rate
/// @param rateBitPerSecond of every flow; 0: spread over the range of the class
/// @param goalPercent of bytes to save, below 0: to spend at most; NaN: none
/// @param goalAddedMs what may be added to the direct path's delay at p99, ms; NaN: no goal
record Load(
    TrafficClass of,
    PayloadKind kind,
    int flows,
    boolean same,
    double rateBitPerSecond,
    double goalPercent,
    double goalAddedMs) {
  private static final double STRAGGLERS_SECONDS = 0.7; // more than the longest class deadline

  /// @param before bytes of IP packets that were sent
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

    /// In ms; NaN if nothing has arrived.
    double delayMs(double percentile) {
      return delays.getTotalCount() == 0
          ? Double.NaN
          : delays.getValueAtPercentile(percentile) / 1e6;
    }

    /// Of the bytes; none without a goal.
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

  /// Sends it.
  ///
  /// @param seed of the first flow; the others' follow
  Outcome run(Ground ground, Peer peer, long seed, double seconds, LongSupplier nanoTime) {
    var flowsToRun = new ArrayList<PacketFlow>();
    for (int i = 0; i < flows; i++) {
      double rate = rateBitPerSecond == 0 ? of.rate(i, flows) : rateBitPerSecond;
      PayloadKind.Payloads payloads = kind.from(same ? seed : seed + i);
      flowsToRun.add(new PacketFlow(ground, of, i, rate, payloads, nanoTime));
    }
    long before = WireBytes.read(ground);
    Period period = Period.soon(nanoTime.getAsLong(), seconds, STRAGGLERS_SECONDS);
    List<CompletableFuture<Result>> running =
        flowsToRun.stream().map(flow -> flow.start(Way.UP, peer.target(), period)).toList();
    List<Result> results = running.stream().map(CompletableFuture::join).toList();
    long after = WireBytes.read(ground) - before;
    var delays = new Histogram(3);
    results.forEach(result -> delays.add(result.delays()));
    long sent = results.stream().mapToLong(Result::sent).sum();
    long strange = results.stream().mapToLong(Result::strange).sum();
    return new Outcome(
        this, sent, delays.getTotalCount(), strange, sent * of.packetBytes, after, delays);
  }
}
