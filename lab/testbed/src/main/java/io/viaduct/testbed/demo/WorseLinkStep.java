package io.viaduct.testbed.demo;

import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// First part of step (c): link A gets worse, as when a device walks away from its access point:
/// first slow, then lossy. Its traffic leaves it while it still works.
final class WorseLinkStep {
  // So long that the interval in which the stream moves is mostly of link A, or the one before is.
  private static final long BEFORE_NS = 3_000_000_000L;
  // Both ends leave a slow link by their own choice. A hold time has doubled once or twice by then,
  // because the download before has filled one link and then the other.
  private static final long SLOW_NS = 7_000_000_000L;
  private static final long LOSSY_NS = 2_000_000_000L;

  private final DeviceLinks links;

  WorseLinkStep(DeviceLinks links) {
    this.links = links;
  }

  /// Runs the step.
  void run(Narration narration) throws IOException {
    links.restore();
    AtomicBoolean going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> stream = links.stream(going);
    long movedNs;
    try {
      links.pause(BEFORE_NS);
      links.awaitStreamBy(DeviceLinks.A);
      links.topology.weather("A", "delay=100ms");
      narration.line("link A: 200 ms more there and back; in 7 s it will also lose 20 %%");
      long slowNs = links.nowNs();
      movedNs = links.awaitStreamBy(DeviceLinks.B);
      links.pause(SLOW_NS - (links.nowNs() - slowNs));
      links.topology.weather("A", "loss=20%");
      links.pause(LOSSY_NS);
    } finally {
      going.set(false);
    }
    PacedStream.Result result = stream.orTimeout(20, TimeUnit.SECONDS).join();
    narration.hold(
        result.returned() > 0 && result.lost() == 0,
        "the stream left the slow link A after %.1f s: lost %d of %d packets there and back",
        movedNs / 1e9,
        result.lost(),
        result.sent());
    links.clear();
  }
}
