package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.TcpStream;
import io.viaduct.testbed.traffic.TcpStream.Carried;
import io.viaduct.testbed.traffic.Way;
import io.viaduct.testbed.weather.Direction;
import io.viaduct.testbed.weather.Fate;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/// Links A and B as access lines of 10 Mbit/s, with round trips of 20 and 60 ms, and bulk transfers
/// over them.
record TwoLines(MovingRig rig, long seed) {
  static final double LINE_MBIT = 10;
  static final List<String> LINKS = List.of("A", "B");

  private static final String LINE = "rate=10mbit";
  private static final String QUEUE = "queue=100p"; // 120 ms
  private static final double NEAR_MS = 10;
  private static final double FAR_MS = 30;

  /// Lays the lines. Only link A is up then.
  ///
  /// @param jitterMs what each packet's delay may be above that of the line
  void lay(int jitterMs) throws Exception {
    lay("A", NEAR_MS, jitterMs / 2.0);
    lay("B", FAR_MS, jitterMs / 2.0);
    rig.onlyBy("A");
  }

  /// @param aroundMs jitter in the weather's sense: below and above the delay
  private void lay(String link, double leastMs, double aroundMs) {
    String delay = String.format(Locale.ROOT, "delay=%.1fms", leastMs + aroundMs);
    String jitter = String.format(Locale.ROOT, "jitter=%.1fms", aroundMs);
    rig.links().weather(link, "clear", delay, jitter, LINE, QUEUE);
  }

  void addLineB() throws Exception {
    rig.addLink("A", "B");
  }

  /// Gives the links back as they were before.
  void clear() {
    LINKS.forEach(rig.links()::clear);
  }

  /// Transfers random bytes by one TCP connection.
  ///
  /// @param seconds after one second of ramp-up
  Carried transfer(Way way, double seconds) {
    var network = rig.network();
    return new TcpStream(network.device(), network.far(), rig.nanoTime(), rig.peer().connections())
        .run(rig.peer().target(), way, PayloadKind.RANDOM.stream(seed), seconds);
  }

  /// Starts a transfer.
  CompletableFuture<Carried> start(Way way, double seconds) {
    var carried = new CompletableFuture<Carried>();
    Thread.ofPlatform()
        .daemon()
        .name("bulk-" + way)
        .start(() -> {
          try {
            carried.complete(transfer(way, seconds));
          } catch (IllegalStateException e) {
            carried.completeExceptionally(e);
          }
        });
    return carried;
  }

  /// Returns the bytes that a link has delivered so far.
  long bytes(String link, Way way) {
    var direction = way == Way.UP ? Direction.UP : Direction.DOWN;
    return rig.links().count(link, direction, Fate.DELIVERED_BYTES);
  }
}
