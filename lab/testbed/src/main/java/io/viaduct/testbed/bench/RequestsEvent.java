package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.Connections;
import io.viaduct.testbed.traffic.Connections.Connection;
import io.viaduct.testbed.traffic.Connections.Listener;
import io.viaduct.testbed.traffic.EnglishText;
import io.viaduct.testbed.traffic.Exchanges;
import io.viaduct.testbed.traffic.TcpStream.Carried;
import io.viaduct.testbed.traffic.Way;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;

/// Requests of 100 bytes of an interactive application: by the better line alone and idle, and then
/// beside bulk transfers that fill both lines in both directions.
final class RequestsEvent implements HandoverEvent {
  private static final int PORT = TrafficClass.LT_LD.firstPort;
  private static final int BYTES = 100;
  private static final double SECONDS = 8;
  private static final double BULK_SECONDS = 18;
  private static final long FILLED_NS = 3_000_000_000L;
  private static final double P50_ADDED_MS_MAX = 5;
  private static final double P99_ADDED_MS_MAX = 20;

  @Override
  public String name() {
    return "requests";
  }

  @Override
  public String title() {
    return "small requests while bulk fills both lines of 10 Mbit/s";
  }

  @Override
  public List<HandoverGoal> goals() {
    return List.of(
        HandoverGoal.of(Reading.REQUEST_P50_ADDED, Statistic.P50, P50_ADDED_MS_MAX),
        HandoverGoal.of(Reading.REQUEST_P99_ADDED, Statistic.P50, P99_ADDED_MS_MAX));
  }

  @Override
  public boolean isFor(Peer other) {
    return other.canBond();
  }

  @Override
  public int repetitions() {
    return 10; // half a minute each
  }

  @Override
  public Map<Reading, Double> run(MovingRig rig, long seed) throws Exception {
    var lines = new TwoLines(rig, seed);
    rig.peer().bond(true);
    try {
      lines.lay(0);
      Histogram alone = requests(rig);
      lines.addLineB();
      List<CompletableFuture<Carried>> bulk =
          List.of(lines.start(Way.UP, BULK_SECONDS), lines.start(Way.DOWN, BULK_SECONDS));
      rig.pause(FILLED_NS);
      Histogram beside = requests(rig);
      bulk.forEach(CompletableFuture::join);
      return values(alone, beside, bulk);
    } finally {
      rig.peer().bond(false);
      lines.clear();
    }
  }

  private static Map<Reading, Double> values(
      Histogram alone, Histogram beside, List<CompletableFuture<Carried>> bulk) {
    var values = new LinkedHashMap<Reading, Double>();
    values.put(Reading.REQUEST_P50, ms(beside, 50));
    values.put(Reading.REQUEST_P99, ms(beside, 99));
    values.put(Reading.REQUEST_P50_ADDED, ms(beside, 50) - ms(alone, 50));
    values.put(Reading.REQUEST_P99_ADDED, ms(beside, 99) - ms(alone, 99));
    values.put(Reading.bothLines(Way.UP), bulk.getFirst().join().mbitPerSecond());
    values.put(Reading.bothLines(Way.DOWN), bulk.getLast().join().mbitPerSecond());
    return values;
  }

  private static double ms(Histogram times, double percentile) {
    return times.getValueAtPercentile(percentile) / 1e6;
  }

  private static Histogram requests(MovingRig rig) throws IOException {
    Connections by = rig.peer().connections();
    BenchNetwork network = rig.network();
    try (Listener listener = network.far().call(() -> by.listen(PORT))) {
      Thread.ofPlatform().daemon().name("responder").start(() -> serve(listener));
      var to = new InetSocketAddress(rig.peer().target(), PORT);
      return network
          .device()
          .call(() -> {
            try (Connection connection = by.connect(to)) {
              return Exchanges.run(connection, EnglishText.of(BYTES), SECONDS, rig.nanoTime());
            }
          });
    }
  }

  private static void serve(Listener listener) {
    try (Connection from = listener.accept()) {
      Exchanges.serve(from);
    } catch (IOException | IllegalStateException e) {
      // The device has closed: its end tells if that was too early.
    }
  }
}
