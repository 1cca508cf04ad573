package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.report.Verdict;
import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// `viaduct bench fallback`: one download on one TCP connection while the network drops UDP and
/// then passes it again. The gateway silently drops UDP to and from the SNAPT's data port.
@Command(
    name = "fallback",
    mixinStandardHelpOptions = true,
    description = "silence of a download while UDP is blocked and let through again")
final class FallbackCommand implements Callable<Integer> {
  private static final String TITLE = "A download while UDP is blocked and let through again";
  private static final int RATE_BIT_PER_SECOND = 50_000_000;
  private static final long SEED = 20_150_901;
  private static final long STEP_NS = 1_000_000;
  private static final long SETTLED_NS = 2_000_000_000L;
  private static final long PATIENCE_NS = 30_000_000_000L;
  private static final double AGAIN_MS_MAX = 1_000;

  @Option(names = "--rounds", description = "of block and release (default ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Mixin private BenchOptions options = new BenchOptions();

  /// Effect of one change of the network, in milliseconds.
  ///
  /// @param silentMs longest time in which the download received nothing
  /// @param changedMs from the change of the network to the agent's change of carrier
  /// @param againMs upper bound from the agent's change until data came again
  record Change(String to, double silentMs, double changedMs, double againMs) {
    /// Computes the upper bound of the interruption after the agent's change.
    ///
    /// @param silentUntilMs from the change of the network to the end of the longest pause. If that
    ///   pause began after the agent's change, its length is the bound
    static Change of(String to, double silentMs, double silentUntilMs, double changedMs) {
      double againMs = Math.clamp(silentUntilMs - changedMs, 0, silentMs);
      return new Change(to, silentMs, changedMs, againMs);
    }

    Verdict verdict() {
      return Verdict.atMost(AGAIN_MS_MAX, "ms", againMs);
    }
  }

  private static final Grid<Change> GRID =
      new Grid<Change>()
          .text("to", "to", Change::to)
          .number("longest silence ms", "silentMs", 0, Change::silentMs)
          .number("agent's change after ms", "changedMs", 0, Change::changedMs)
          .member("againMs", Change::againMs)
          .goal("data again after that: goal", "goal", change -> Optional.of(change.verdict()));

  @Override
  public Integer call() throws Exception {
    try (BenchEnvironment environment = BenchEnvironment.open(options);
        Peer viaduct = environment.viaduct("")) {
      var unused = RunningPeers.start(environment.network(), List.of(viaduct));
      var changes = new ArrayList<Change>();
      try (var download = environment.download(viaduct, RATE_BIT_PER_SECOND, SEED)) {
        download.settle(SETTLED_NS);
        for (int round = 0; round < rounds; round++) {
          for (boolean blocked : List.of(true, false)) {
            changes.add(change(environment, download, blocked));
            download.settle(SETTLED_NS);
          }
        }
        Map<String, String> conditions = environment.conditions();
        conditions.put("download", "%s, %d bytes".formatted(download.rate(), download.end()));
        Report.of("fallback", TITLE, conditions, GRID, changes)
            .publish(System.out, options.output());
      }
      return 0;
    }
  }

  /// Drops UDP by a blackhole rule of the routing policy. It sends no ICMP, and it works without
  /// nftables.
  private static void block(NetworkNamespace router, boolean blocked) {
    for (String port : List.of("sport", "dport")) {
      router.ip(
          "rule %s ipproto udp %s 443 priority 10 %s"
              .formatted(blocked ? "add" : "del", port, blocked ? "blackhole" : ""));
    }
  }

  /// Changes the network and measures the longest pause of the download, until the agent has
  /// followed and the download has continued for a while.
  private static Change change(BenchEnvironment environment, LongDownload download, boolean blocked)
      throws IOException {
    String to = blocked ? "control" : "udp";
    Instant at = Instant.now();
    long startNs = System.nanoTime();
    download.watch(startNs);
    block(environment.network().router(), blocked);
    long lastCheckNs = startNs;
    Instant followed = Instant.MAX;
    long endNs = Long.MAX_VALUE;
    for (long nowNs = startNs; nowNs < endNs; nowNs = System.nanoTime()) {
      download.awaitBytes(STEP_NS);
      if (endNs == Long.MAX_VALUE && nowNs - lastCheckNs > 100 * STEP_NS) {
        lastCheckNs = nowNs;
        followed = newest(environment, to, at);
        endNs = followed.equals(Instant.MAX) ? endNs : nowNs + SETTLED_NS;
      }
      if (nowNs - startNs > PATIENCE_NS) {
        throw new IllegalStateException("no change to " + to + " in 30 s");
      }
    }
    double changedMs = Duration.between(at, followed).toNanos() / 1e6;
    double untilMs = (download.silentUntilNs() - startNs) / 1e6;
    return Change.of(to, download.silentMs(), untilMs, changedMs);
  }

  /// Returns the time of the agent's last change to a carrier after a moment, or [Instant#MAX]
  /// without one.
  private static Instant newest(BenchEnvironment environment, String to, Instant after)
      throws IOException {
    Instant newest = Instant.MAX;
    for (JsonNode change : environment.status("cnapt").path("carrierChanges")) {
      Instant changed = Instant.parse(change.path("at").asString(""));
      if (changed.isAfter(after) && change.path("to").asString("").equalsIgnoreCase(to)) {
        newest = changed;
      }
    }
    return newest;
  }
}
