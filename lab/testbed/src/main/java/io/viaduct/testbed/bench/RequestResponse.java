package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Goal.AddedOfBest;
import io.viaduct.testbed.bench.Goal.OfBest;
import io.viaduct.testbed.traffic.EnglishText;
import io.viaduct.testbed.traffic.Exchanges;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/// Measures requests and responses of the same size, made of text, in sequence on one TCP
/// connection.
final class RequestResponse implements Measure {
  private static final int PORT = 7004;
  private static final int SMALL_MAX = 1_000;

  private record Pair(Row p50, Row p99) {}

  private final BenchNetwork network;
  private final double seconds;
  private final LongSupplier nanoTime;
  private final Map<Integer, Pair> rows = new LinkedHashMap<>();

  /// Starts the far end, which runs as long as the laboratory.
  RequestResponse(BenchNetwork network, double seconds, LongSupplier nanoTime) {
    this.network = network;
    this.seconds = seconds;
    this.nanoTime = nanoTime;
    for (int size : Exchanges.SIZES) {
      Goal goal = size <= SMALL_MAX ? new AddedOfBest(0.9) : new OfBest(0.5);
      String title = "request/response of " + name(size) + ", ";
      rows.put(
          size,
          new Pair(
              Row.less("exchange-" + size + "-p50", title + "p50", "µs", 0, goal),
              Row.less("exchange-" + size + "-p99", title + "p99", "µs", 0, new OfBest(1))));
    }
    network
        .far()
        .call(() -> {
          ServerSocketChannel listener = ServerSocketChannel.open();
          listener.bind(new InetSocketAddress(PORT));
          Thread.ofPlatform()
              .daemon()
              .name("responder")
              .start(() -> {
                ProcessorHalves.enter(false);
                Exchanges.serve(listener);
              });
          return true;
        });
  }

  private static String name(int size) {
    return size < 1_000
        ? size + " B"
        : size < 1_000_000 ? size / 1_000 + " kB" : size / 1_000_000 + " MB";
  }

  @Override
  public String name() {
    return "exchange";
  }

  @Override
  public List<Row> rows() {
    var all = new ArrayList<Row>();
    rows.values().forEach(pair -> all.addAll(List.of(pair.p50, pair.p99)));
    return all;
  }

  @Override
  public void run(Peer peer, Recorder recorder) {
    ProcessorHalves.during(
        peer,
        () -> {
          rows.forEach((size, pair) -> {
            Histogram times = run(peer.target(), size, seconds);
            recorder.record(pair.p50, times.getValueAtPercentile(50) / 1e3);
            recorder.record(pair.p99, times.getValueAtPercentile(99) / 1e3);
          });
        });
  }

  /// Exchanges texts of this size.
  ///
  /// @return their durations, in nanoseconds
  Histogram run(String target, int size, double seconds) {
    return network
        .device()
        .call(() -> {
          ProcessorHalves.enter(true);
          var to = new InetSocketAddress(target, PORT);
          return Exchanges.run(to, EnglishText.of(size), seconds, nanoTime);
        });
  }
}
