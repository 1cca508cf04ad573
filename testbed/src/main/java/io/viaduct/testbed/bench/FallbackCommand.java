package io.viaduct.testbed.bench;

import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.traffic.TextDownload;
import io.viaduct.testbed.traffic.TextServer;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `viaduct bench fallback`: one download, one TCP connection, while the network drops UDP and lets
/// it through again. The gateway forgets UDP to and from the SNAPT's data port, without a word.
@Command(
    name = "fallback",
    mixinStandardHelpOptions = true,
    description = "silence of a download while UDP is blocked and let through again")
final class FallbackCommand implements Callable<Integer> {
  private static final int PORT = 80;
  private static final int RATE_BIT_PER_SECOND = 50_000_000;
  private static final long SEED = 20_150_901;
  private static final long STEP_NS = 1_000_000;
  private static final long SETTLED_NS = 2_000_000_000L;
  private static final long PATIENCE_NS = 30_000_000_000L;

  @Option(names = "--rounds", description = "of block and release (default ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Mixin private BenchOptions options = new BenchOptions();

  private final TextDownload download = new TextDownload();

  /// One change, in milliseconds.
  ///
  /// @param silentMs longest time in which the download got nothing
  /// @param changedMs from the change of the network to the agent's change of carrier
  private record Change(String to, double silentMs, double changedMs) {
    String line() {
      return String.format(Locale.ROOT, "| %s | %.0f | %.0f |%n", to, silentMs, changedMs);
    }
  }

  /// Everything, as JSON.
  private record Outcome(Map<String, String> conditions, List<Change> changes) {}

  @Override
  public Integer call() throws Exception {
    try (Stand stand = Stand.open(options);
        Peer viaduct = stand.viaduct("")) {
      new PeerStart(stand.ground(), System.err, System::nanoTime)
          .all(List.of(viaduct), new LinkedHashMap<>());
      stand
          .ground()
          .far()
          .call(() -> {
            TextServer.start(viaduct.target(), PORT, System::nanoTime);
            return true;
          });
      var result =
          stand
              .ground()
              .device()
              .start("download", () -> download.run(viaduct.target(), PORT, request()));
      var changes = new ArrayList<Change>();
      try {
        settle(result);
        for (int round = 0; round < rounds; round++) {
          changes.add(change(stand, "control", () -> block(stand.ground().router(), "add")));
          settle(result);
          changes.add(change(stand, "udp", () -> block(stand.ground().router(), "del")));
          settle(result);
        }
      } finally {
        download.stop();
      }
      long bytes = result.get(PATIENCE_NS, TimeUnit.NANOSECONDS).bytes();
      return report(stand, changes, bytes);
    } catch (IllegalStateException e) {
      System.err.println("viaduct: " + e.getMessage());
      return 1;
    }
  }

  private static String request() {
    return "/text?seed=%d&bytes=%d&rate=%d".formatted(SEED, Long.MAX_VALUE, RATE_BIT_PER_SECOND);
  }

  /// A blackhole of the routing policy: no ICMP, and the same where there is no nftables.
  private static void block(NetworkNamespace router, String verb) {
    for (String port : List.of("sport", "dport")) {
      router.ip(
          "rule %s ipproto udp %s 443 priority 10 %s"
              .formatted(verb, port, verb.equals("add") ? "blackhole" : ""));
    }
  }

  private void settle(CompletableFuture<TextDownload.Result> result) {
    long until = System.nanoTime() + SETTLED_NS;
    long before = download.received();
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(STEP_NS);
    }
    if (download.received() == before || result.isDone()) {
      throw new IllegalStateException("the download does not go on: " + result);
    }
  }

  /// The longest silence of the download, from the change of the network until the agent has
  /// followed it and the download went on for a while.
  private Change change(Stand stand, String to, Runnable network) throws IOException {
    Instant at = Instant.now();
    long start = System.nanoTime();
    network.run();
    long heard = start;
    long silent = 0;
    long received = download.received();
    long looked = start;
    Instant followed = Instant.MAX;
    long end = Long.MAX_VALUE;
    for (long now = start; now < end; now = System.nanoTime()) {
      if (download.received() != received) {
        silent = Math.max(silent, now - heard);
        received = download.received();
        heard = now;
      }
      if (end == Long.MAX_VALUE && now - looked > 100 * STEP_NS) {
        looked = now;
        followed = newest(stand, to, at);
        end = followed.equals(Instant.MAX) ? end : now + SETTLED_NS;
      }
      if (now - start > PATIENCE_NS) {
        throw new IllegalStateException("no change to " + to + " in 30 s");
      }
      LockSupport.parkNanos(STEP_NS);
    }
    return new Change(to, silent / 1e6, Duration.between(at, followed).toNanos() / 1e6);
  }

  /// When the agent last changed to this carrier, [Instant#MAX] if it has not since a moment.
  private static Instant newest(Stand stand, String to, Instant after) throws IOException {
    JsonNode status = StatusSocket.read(stand.deployment().plans().socket("cnapt"));
    Instant newest = Instant.MAX;
    for (JsonNode change : status.path("carrierChanges")) {
      Instant changed = Instant.parse(change.path("at").asString(""));
      if (changed.isAfter(after) && change.path("to").asString("").equalsIgnoreCase(to)) {
        newest = changed;
      }
    }
    return newest;
  }

  private int report(Stand stand, List<Change> changes, long bytes) throws IOException {
    var conditions = new LinkedHashMap<String, String>();
    conditions.put("command", "viaduct bench fallback --rounds " + rounds);
    conditions.put(
        "download",
        "one TCP connection, %d Mbit/s, %d bytes"
            .formatted(RATE_BIT_PER_SECOND / 1_000_000, bytes));
    conditions.putAll(Machine.conditions(stand.ground(), Instant.now()));
    var text = new StringBuilder();
    conditions.forEach((name, value) -> text.append("- %s: %s%n".formatted(name, value)));
    text.append(
        "%n| to | longest silence ms | agent's change after ms |%n|---|---|---|%n".formatted());
    changes.forEach(change -> text.append(change.line()));
    System.out.print(text);
    Files.createDirectories(options.output());
    Files.writeString(options.output().resolve("fallback.md"), text);
    Files.writeString(
        options.output().resolve("fallback.json"),
        JsonMapper.shared().writeValueAsString(new Outcome(conditions, changes)));
    return 0;
  }
}
