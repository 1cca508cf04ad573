package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/// `viaduct bench fallback`: one download, one TCP connection, while the network drops UDP and lets
/// it through again. The gateway forgets UDP to and from the SNAPT's data port, without a word.
@Command(
    name = "fallback",
    mixinStandardHelpOptions = true,
    description = "silence of a download while UDP is blocked and let through again")
final class FallbackCommand implements Callable<Integer> {
  private static final int RATE_BIT_PER_SECOND = 50_000_000;
  private static final long SEED = 20_150_901;
  private static final long STEP_NS = 1_000_000;
  private static final long SETTLED_NS = 2_000_000_000L;
  private static final long PATIENCE_NS = 30_000_000_000L;
  private static final double AGAIN_MS_MAX = 1_000;

  @Option(names = "--rounds", description = "of block and release (default ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Mixin private BenchOptions options = new BenchOptions();

  /// One change, in milliseconds.
  ///
  /// @param silentMs longest time in which the download got nothing
  /// @param changedMs from the change of the network to the agent's change of carrier
  /// @param againMs from that until data came again, at most
  record Change(String to, double silentMs, double changedMs, double againMs) {
    /// @param silentUntilMs from the change of the network to the end of the longest silence; one
    ///   that began after the agent's change bounds, with its length, what the change cost
    static Change of(String to, double silentMs, double silentUntilMs, double changedMs) {
      double againMs = Math.clamp(silentUntilMs - changedMs, 0, silentMs);
      return new Change(to, silentMs, changedMs, againMs);
    }

    Verdict verdict() {
      return Verdict.atMost(AGAIN_MS_MAX, "ms", againMs);
    }

    String line() {
      return String.format(
          Locale.ROOT, "| %s | %.0f | %.0f | %s |%n", to, silentMs, changedMs, verdict());
    }
  }

  @Override
  public Integer call() throws Exception {
    try (Stand stand = Stand.open(options);
        Peer viaduct = stand.viaduct("")) {
      stand.start(List.of(viaduct));
      var changes = new ArrayList<Change>();
      try (var download = stand.download(viaduct, RATE_BIT_PER_SECOND, SEED)) {
        download.settle(SETTLED_NS);
        for (int round = 0; round < rounds; round++) {
          for (boolean blocked : List.of(true, false)) {
            changes.add(change(stand, download, blocked));
            download.settle(SETTLED_NS);
          }
        }
        var carried = "%s, %d bytes".formatted(download.rate(), download.end());
        report(stand, changes, carried).publish(System.out, options.output());
      }
      return 0;
    }
  }

  /// A blackhole of the routing policy: no ICMP, and the same where there is no nftables.
  private static void block(NetworkNamespace router, boolean blocked) {
    for (String port : List.of("sport", "dport")) {
      router.ip(
          "rule %s ipproto udp %s 443 priority 10 %s"
              .formatted(blocked ? "add" : "del", port, blocked ? "blackhole" : ""));
    }
  }

  /// The longest silence of the download, from the change of the network until the agent has
  /// followed it and the download went on for a while.
  private static Change change(Stand stand, LongDownload download, boolean blocked)
      throws IOException {
    String to = blocked ? "control" : "udp";
    Instant at = Instant.now();
    long start = System.nanoTime();
    download.watch(start);
    block(stand.ground().router(), blocked);
    long looked = start;
    Instant followed = Instant.MAX;
    long end = Long.MAX_VALUE;
    for (long now = start; now < end; now = System.nanoTime()) {
      download.look(STEP_NS);
      if (end == Long.MAX_VALUE && now - looked > 100 * STEP_NS) {
        looked = now;
        followed = newest(stand, to, at);
        end = followed.equals(Instant.MAX) ? end : now + SETTLED_NS;
      }
      if (now - start > PATIENCE_NS) {
        throw new IllegalStateException("no change to " + to + " in 30 s");
      }
    }
    double changedMs = Duration.between(at, followed).toNanos() / 1e6;
    double untilMs = (download.silentUntilNs() - start) / 1e6;
    return Change.of(to, download.silentMs(), untilMs, changedMs);
  }

  /// When the agent last changed to this carrier, [Instant#MAX] if it has not since a moment.
  private static Instant newest(Stand stand, String to, Instant after) throws IOException {
    Instant newest = Instant.MAX;
    for (JsonNode change : stand.status("cnapt").path("carrierChanges")) {
      Instant changed = Instant.parse(change.path("at").asString(""));
      if (changed.isAfter(after) && change.path("to").asString("").equalsIgnoreCase(to)) {
        newest = changed;
      }
    }
    return newest;
  }

  private Report report(Stand stand, List<Change> changes, String download) throws IOException {
    var conditions = stand.conditions("viaduct bench fallback --rounds " + rounds);
    conditions.put("download", download);
    var table =
        new StringBuilder(
            "| to | longest silence ms | agent's change after ms | data again after that: goal |\n"
                + "|---|--:|--:|---|\n");
    changes.forEach(change -> table.append(change.line()));
    return new Report(
        "fallback",
        "A download while UDP is blocked and let through again",
        conditions,
        table.toString(),
        Map.of("changes", changes));
  }
}
