package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.topology.Command;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/// `viaduct bench path-mtu`: one download on one TCP connection while the gateway's MTU shrinks.
/// The gateway drops packets that are too long and sends no ICMP.
@picocli.CommandLine.Command(
    name = "path-mtu",
    mixinStandardHelpOptions = true,
    description = "a download over links that become narrower without ICMP")
final class PathMtuCommand implements Callable<Integer> {
  private static final String TITLE = "A download over links that become narrower without a word";
  private static final int RATE_BIT_PER_SECOND = 20_000_000;
  private static final int NEW_BYTES = 1_000_000;
  private static final long SEED = 20_150_902;
  private static final List<Integer> LINKS = List.of(1400, 1000, 600);
  private static final long STEP_NS = 20_000_000;
  private static final long SETTLED_NS = 3_000_000_000L;
  private static final long PATIENCE_NS = 60_000_000_000L;

  @Mixin private BenchOptions options = new BenchOptions();

  /// Result of one MTU.
  ///
  /// @param silentMs longest time in which the download received nothing
  /// @param usableMs time until both ends sent only packets that fit
  /// @param foundMs time until both ends knew the exact size
  /// @param ping answer to a `ping` of 1372 bytes that must not be fragmented
  private record Link(
      int mtu,
      int up,
      int down,
      double silentMs,
      double usableMs,
      double foundMs,
      double newDownloadMs,
      String ping) {}

  private static final Grid<Link> GRID =
      new Grid<Link>()
          .text("link MTU", "mtu", Link::mtu)
          .cell("found up / down", link -> link.up + " / " + link.down)
          .member("up", Link::up)
          .member("down", Link::down)
          .number("longest silence ms", "silentMs", 0, Link::silentMs)
          .number("fits after ms", "usableMs", 0, Link::usableMs)
          .number("exact after ms", "foundMs", 0, Link::foundMs)
          .number("new download of 1 MB ms", "newDownloadMs", 0, Link::newDownloadMs)
          .text("ping -M do -s 1372", "ping", Link::ping);

  @Override
  public Integer call() throws Exception {
    try (BenchEnvironment environment = BenchEnvironment.open(options);
        Peer viaduct = environment.viaduct("")) {
      var unused = RunningPeers.start(environment.network(), List.of(viaduct));
      try (var download = environment.download(viaduct, RATE_BIT_PER_SECOND, SEED)) {
        environment.network().router().ip("rule add ipproto icmp priority 10 blackhole");
        var links = new ArrayList<Link>();
        for (int mtu : LINKS) {
          download.settle(SETTLED_NS);
          links.add(narrow(environment, viaduct.target(), mtu, download));
        }
        download.end();
        Map<String, String> conditions = environment.conditions();
        conditions.put("download", download.rate());
        Report.of("path-mtu", TITLE, conditions, GRID, links).publish(System.out, options.output());
      }
      return 0;
    }
  }

  private static Link narrow(
      BenchEnvironment environment, String target, int mtu, LongDownload download)
      throws Exception {
    long startNs = System.nanoTime();
    download.watch(startNs);
    for (String port : List.of("access", "core0")) {
      environment.network().router().ip("link set %s mtu %d".formatted(port, mtu));
    }
    long usableNs = 0;
    int up = 0;
    int down = 0;
    for (long nowNs = startNs; up != mtu || down != mtu; nowNs = System.nanoTime()) {
      download.awaitBytes(STEP_NS);
      up = up(environment);
      down = down(environment);
      usableNs = usableNs == 0 && up <= mtu && down <= mtu ? nowNs - startNs : usableNs;
      if (nowNs - startNs > PATIENCE_NS) {
        throw new IllegalStateException("link of %d: up %d, down %d".formatted(mtu, up, down));
      }
    }
    double foundMs = (System.nanoTime() - startNs) / 1e6;
    double silentMs = download.silentMs();
    double newMs = download.anotherMs(NEW_BYTES, mtu);
    return new Link(
        mtu, up, down, silentMs, usableNs / 1e6, foundMs, newMs, ping(environment, target));
  }

  private static int up(BenchEnvironment environment) throws IOException {
    return environment.status("cnapt").path("data").path("pathMtu").asInt(0);
  }

  private static int down(BenchEnvironment environment) throws IOException {
    for (JsonNode session : environment.status("snapt-1").path("sessions")) {
      return session.path("pathMtu").asInt(0);
    }
    return 0;
  }

  /// Returns the last result of a ping: the size that fits, or an answer.
  private static String ping(BenchEnvironment environment, String target) throws Exception {
    if (!Command.exists("ping")) {
      return "ping is missing"; // nsenter would report it in its own way
    }
    List<String> words =
        List.of("ping", "-n", "-M", "do", "-s", "1372", "-c", "2", "-W", "2", target);
    Process process =
        new ProcessBuilder(environment.network().device().inside(words))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    for (String line : output.lines().toList()) {
      if (line.contains("mtu") || line.contains("bytes from")) {
        return line.strip();
      }
    }
    return "nothing";
  }
}
