package io.viaduct.testbed.demo;

import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// Second part of step (c): link B stays up, but nothing passes its gateway any more. The kernel
/// reports nothing; only the missing answers show it. Link A is slow, but works again.
final class SilenceStep {
  private static final long GAP_LIMIT_NS = 1_000_000_000L;
  private static final long BEFORE_NS = 2_000_000_000L;

  private final DeviceLinks links;

  SilenceStep(DeviceLinks links) {
    this.links = links;
  }

  /// Runs the step.
  void run(Narration narration) throws IOException {
    links.restore();
    links.topology.weather("A", "delay=50ms");
    AtomicBoolean going = new AtomicBoolean(true);
    CompletableFuture<PacedStream.Result> stream = links.stream(going);
    try {
      links.awaitStreamBy(DeviceLinks.B);
      links.pause(BEFORE_NS);
      links.topology.gateway("B").ip("link set core0 down");
      narration.line("gateway B forwards nothing any more; link B is up at the device");
      links.awaitUsed(DeviceLinks.A);
      links.pause(BEFORE_NS);
    } finally {
      going.set(false);
    }
    told(narration, stream.orTimeout(20, TimeUnit.SECONDS).join());
    links.restore();
  }

  private static void told(Narration narration, PacedStream.Result stream) {
    narration.hold(
        stream.returned() > 0 && stream.gapNs() < GAP_LIMIT_NS,
        "the device left link B: longest gap %.0f ms, lost %d of %d packets there and back",
        stream.gapNs() / 1e6,
        stream.lost(),
        stream.sent());
  }
}
