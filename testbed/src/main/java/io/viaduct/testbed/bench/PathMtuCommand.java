package io.viaduct.testbed.bench;

import io.viaduct.testbed.process.StatusSocket;
import io.viaduct.testbed.traffic.TextDownload;
import io.viaduct.testbed.traffic.TextServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// `viaduct bench path-mtu`: one download, one TCP connection, while the gateway carries less and
/// less and tells nobody: what is too long vanishes, and no ICMP leaves it.
@Command(
    name = "path-mtu",
    mixinStandardHelpOptions = true,
    description = "a download over links that become narrower without ICMP")
final class PathMtuCommand implements Callable<Integer> {
  private static final int PORT = 80;
  private static final int RATE_BIT_PER_SECOND = 20_000_000;
  private static final int NEW_BYTES = 1_000_000;
  private static final long SEED = 20_150_902;
  private static final List<Integer> LINKS = List.of(1400, 1000, 600);
  private static final long STEP_NS = 20_000_000;
  private static final long PATIENCE_NS = 60_000_000_000L;

  @Mixin private BenchOptions options = new BenchOptions();

  private final TextDownload download = new TextDownload();

  /// What became of one link.
  ///
  /// @param silentMs longest time in which the download got nothing
  /// @param usableMs until both ends sent what fits
  /// @param foundMs until both ends knew the size to the byte
  /// @param ping what a `ping` of 1372 bytes that must not be fragmented was told
  private record Link(
      int mtu,
      int up,
      int down,
      double silentMs,
      double usableMs,
      double foundMs,
      double newDownloadMs,
      String ping) {
    String line() {
      return String.format(
          Locale.ROOT,
          "| %d | %d / %d | %.0f | %.0f | %.0f | %.0f | %s |%n",
          mtu,
          up,
          down,
          silentMs,
          usableMs,
          foundMs,
          newDownloadMs,
          ping);
    }
  }

  /// Everything, as JSON.
  private record Outcome(Map<String, String> conditions, List<Link> links) {}

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
              .start(
                  "download",
                  () -> download.run(viaduct.target(), PORT, request(Long.MAX_VALUE, SEED)));
      stand.ground().router().ip("rule add ipproto icmp priority 10 blackhole");
      var links = new ArrayList<Link>();
      try {
        for (int mtu : LINKS) {
          pause(3_000_000_000L);
          links.add(narrow(stand, viaduct.target(), mtu, result));
        }
      } finally {
        download.stop();
      }
      result.get(PATIENCE_NS, TimeUnit.NANOSECONDS);
      return report(stand, links);
    } catch (IllegalStateException e) {
      System.err.println("viaduct: " + e.getMessage());
      return 1;
    }
  }

  private static String request(long bytes, long seed) {
    return "/text?seed=%d&bytes=%d&rate=%d".formatted(seed, bytes, RATE_BIT_PER_SECOND);
  }

  private static void pause(long ns) {
    long until = System.nanoTime() + ns;
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(STEP_NS);
    }
  }

  private Link narrow(
      Stand stand, String target, int mtu, CompletableFuture<TextDownload.Result> result)
      throws Exception {
    long start = System.nanoTime();
    for (String port : List.of("access", "core0")) {
      stand.ground().router().ip("link set %s mtu %d".formatted(port, mtu));
    }
    long received = download.received();
    long heard = start;
    long silent = 0;
    long usable = 0;
    int up = 0;
    int down = 0;
    for (long now = start; up != mtu || down != mtu; now = System.nanoTime()) {
      if (download.received() != received) {
        silent = Math.max(silent, now - heard);
        received = download.received();
        heard = now;
      }
      up = up(stand);
      down = down(stand);
      usable = usable == 0 && up <= mtu && down <= mtu ? now - start : usable;
      if (now - start > PATIENCE_NS || result.isDone()) {
        throw new IllegalStateException(
            "link of %d: up %d, down %d, the download %s".formatted(mtu, up, down, result));
      }
      LockSupport.parkNanos(STEP_NS);
    }
    long found = System.nanoTime() - start;
    long begun = System.nanoTime();
    var another = new TextDownload();
    long bytes =
        stand
            .ground()
            .device()
            .start("another", () -> another.run(target, PORT, request(NEW_BYTES, mtu)))
            .get(PATIENCE_NS, TimeUnit.NANOSECONDS)
            .bytes();
    if (bytes != NEW_BYTES) {
      throw new IllegalStateException("a new download got %d bytes".formatted(bytes));
    }
    double newMs = (System.nanoTime() - begun) / 1e6;
    return new Link(
        mtu, up, down, silent / 1e6, usable / 1e6, found / 1e6, newMs, ping(stand, target));
  }

  private static int up(Stand stand) throws IOException {
    return status(stand, "cnapt").path("data").path("pathMtu").asInt(0);
  }

  private static int down(Stand stand) throws IOException {
    for (JsonNode session : status(stand, "snapt-1").path("sessions")) {
      return session.path("pathMtu").asInt(0);
    }
    return 0;
  }

  private static JsonNode status(Stand stand, String process) throws IOException {
    return StatusSocket.read(stand.deployment().plans().socket(process));
  }

  /// The last word of a ping: the size that fits, or an answer.
  private static String ping(Stand stand, String target) throws Exception {
    List<String> words =
        List.of("ping", "-n", "-M", "do", "-s", "1372", "-c", "2", "-W", "2", target);
    Process process;
    try {
      process =
          new ProcessBuilder(stand.ground().device().inside(words))
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      return "ping is missing";
    }
    String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    for (String line : told.lines().toList()) {
      if (line.contains("mtu") || line.contains("bytes from")) {
        return line.strip();
      }
    }
    return "nothing";
  }

  private int report(Stand stand, List<Link> links) throws IOException {
    var conditions = new LinkedHashMap<String, String>();
    conditions.put("command", "viaduct bench path-mtu");
    conditions.put(
        "download", "one TCP connection, %d Mbit/s".formatted(RATE_BIT_PER_SECOND / 1_000_000));
    conditions.putAll(Machine.conditions(stand.ground(), Instant.now()));
    var text = new StringBuilder();
    conditions.forEach((name, value) -> text.append("- %s: %s%n".formatted(name, value)));
    text.append(
        ("%n| link MTU | found up / down | longest silence ms | fits after ms | exact after ms |"
                + " new download of 1 MB ms | ping -M do -s 1372 |%n"
                + "|---|---|---|---|---|---|---|%n")
            .formatted());
    links.forEach(link -> text.append(link.line()));
    System.out.print(text);
    Files.createDirectories(options.output());
    Files.writeString(options.output().resolve("path-mtu.md"), text);
    Files.writeString(
        options.output().resolve("path-mtu.json"),
        JsonMapper.shared().writeValueAsString(new Outcome(conditions, links)));
    return 0;
  }
}
