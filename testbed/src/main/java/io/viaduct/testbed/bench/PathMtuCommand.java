package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.Command;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/// `viaduct bench path-mtu`: one download, one TCP connection, while the gateway carries less and
/// less and tells nobody: what is too long vanishes, and no ICMP leaves it.
@picocli.CommandLine.Command(
    name = "path-mtu",
    mixinStandardHelpOptions = true,
    description = "a download over links that become narrower without ICMP")
final class PathMtuCommand implements Callable<Integer> {
  private static final int RATE_BIT_PER_SECOND = 20_000_000;
  private static final int NEW_BYTES = 1_000_000;
  private static final long SEED = 20_150_902;
  private static final List<Integer> LINKS = List.of(1400, 1000, 600);
  private static final long STEP_NS = 20_000_000;
  private static final long SETTLED_NS = 3_000_000_000L;
  private static final long PATIENCE_NS = 60_000_000_000L;

  @Mixin private BenchOptions options = new BenchOptions();

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

  @Override
  public Integer call() throws Exception {
    try (Stand stand = Stand.open(options);
        Peer viaduct = stand.viaduct("")) {
      stand.start(List.of(viaduct));
      try (var download = stand.download(viaduct, RATE_BIT_PER_SECOND, SEED)) {
        stand.ground().router().ip("rule add ipproto icmp priority 10 blackhole");
        var links = new ArrayList<Link>();
        for (int mtu : LINKS) {
          download.settle(SETTLED_NS);
          links.add(narrow(stand, viaduct.target(), mtu, download));
        }
        download.end();
        report(stand, links, download.rate()).publish(System.out, options.output());
      }
      return 0;
    }
  }

  private static Link narrow(Stand stand, String target, int mtu, LongDownload download)
      throws Exception {
    long start = System.nanoTime();
    download.watch(start);
    for (String port : List.of("access", "core0")) {
      stand.ground().router().ip("link set %s mtu %d".formatted(port, mtu));
    }
    long usable = 0;
    int up = 0;
    int down = 0;
    for (long now = start; up != mtu || down != mtu; now = System.nanoTime()) {
      download.look(STEP_NS);
      up = up(stand);
      down = down(stand);
      usable = usable == 0 && up <= mtu && down <= mtu ? now - start : usable;
      if (now - start > PATIENCE_NS) {
        throw new IllegalStateException("link of %d: up %d, down %d".formatted(mtu, up, down));
      }
    }
    double foundMs = (System.nanoTime() - start) / 1e6;
    double silentMs = download.silentMs();
    double newMs = download.anotherMs(NEW_BYTES, mtu);
    return new Link(mtu, up, down, silentMs, usable / 1e6, foundMs, newMs, ping(stand, target));
  }

  private static int up(Stand stand) throws IOException {
    return stand.status("cnapt").path("data").path("pathMtu").asInt(0);
  }

  private static int down(Stand stand) throws IOException {
    for (JsonNode session : stand.status("snapt-1").path("sessions")) {
      return session.path("pathMtu").asInt(0);
    }
    return 0;
  }

  /// The last word of a ping: the size that fits, or an answer.
  private static String ping(Stand stand, String target) throws Exception {
    if (!Command.exists("ping")) {
      return "ping is missing"; // nsenter is there, and would say so in words of its own
    }
    List<String> words =
        List.of("ping", "-n", "-M", "do", "-s", "1372", "-c", "2", "-W", "2", target);
    Process process =
        new ProcessBuilder(stand.ground().device().inside(words)).redirectErrorStream(true).start();
    String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    for (String line : told.lines().toList()) {
      if (line.contains("mtu") || line.contains("bytes from")) {
        return line.strip();
      }
    }
    return "nothing";
  }

  private static Report report(Stand stand, List<Link> links, String download) throws IOException {
    var conditions = stand.conditions("viaduct bench path-mtu");
    conditions.put("download", download);
    var table =
        new StringBuilder("| link MTU | found up / down | longest silence ms | fits after ms |")
            .append(" exact after ms | new download of 1 MB ms | ping -M do -s 1372 |\n")
            .append("|--:|--:|--:|--:|--:|--:|---|\n");
    links.forEach(link -> table.append(link.line()));
    return new Report(
        "path-mtu",
        "A download over links that become narrower without a word",
        conditions,
        table.toString(),
        Map.of("links", links));
  }
}
