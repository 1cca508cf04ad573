package io.viaduct.testbed.demo;

import io.viaduct.testbed.report.Table;
import io.viaduct.testbed.topology.Topology;
import io.viaduct.testbed.traffic.RoundTrips;
import io.viaduct.testbed.traffic.TextDownload;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/// Step (d): key strokes to port 22, alone and then beside an unlimited download.
final class InteractiveStep {
  private static final long EACH_NS = 3_000_000_000L;
  private static final long BULK_BYTES = 4_000_000_000L;
  private static final long LIMIT_US = 200_000; // Table I of the main paper: 200 ms for SSH

  private final Topology topology;
  private final LongSupplier nanoTime;

  InteractiveStep(Topology topology, LongSupplier nanoTime) {
    this.topology = topology;
    this.nanoTime = nanoTime;
  }

  void run(Narration narration) {
    var bulk = new TextDownload();
    Histogram[] both = topology.device.call(() -> strokes(bulk));
    narration.block(
        new Table()
            .row("round trip, ms", "p50", "p90", "p99", "max")
            .row(row("alone", both[0]))
            .row(row("beside bulk", both[1]))
            .toString());
    narration.line("the bulk download ran at %.0f Mbit/s", bulk.received() * 8e3 / EACH_NS);
    narration.hold(
        bulk.received() > 0 && both[1].getValueAtPercentile(90) < LIMIT_US,
        "9 of 10 key strokes beside the bulk download take less than the 200 ms of their class");
  }

  private Histogram[] strokes(TextDownload bulk) throws IOException {
    var to = new InetSocketAddress(Topology.SERVER, FarEnd.SSH_PORT);
    try (var shell = new RoundTrips(to, nanoTime)) {
      Histogram alone = shell.run(lasting());
      var loading =
          topology.device.start(
              "bulk",
              () ->
                  bulk.run(Topology.SERVER, FarEnd.BULK_PORT, "/text?seed=2&bytes=" + BULK_BYTES));
      Histogram beside = shell.run(lasting());
      bulk.stop();
      var unused = loading.orTimeout(20, TimeUnit.SECONDS).join();
      return new Histogram[] {alone, beside};
    }
  }

  private java.util.function.BooleanSupplier lasting() {
    long endNs = nanoTime.getAsLong() + EACH_NS;
    return () -> nanoTime.getAsLong() - endNs < 0;
  }

  private static Object[] row(String name, Histogram histogram) {
    return new Object[] {
      name,
      ms(histogram.getValueAtPercentile(50)),
      ms(histogram.getValueAtPercentile(90)),
      ms(histogram.getValueAtPercentile(99)),
      ms(histogram.getMaxValue())
    };
  }

  private static String ms(long us) {
    return String.format(java.util.Locale.ROOT, "%.1f", us / 1000.0);
  }
}
