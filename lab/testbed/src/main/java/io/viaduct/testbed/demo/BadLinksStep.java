package io.viaduct.testbed.demo;

import io.viaduct.testbed.traffic.PacedStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Step (c): one stream through two events. Link A becomes slow and lossy at once, as when a device
/// walks away from its access point, and stays so. Then link B falls silent: it is up, but nothing
/// passes its gateway. The kernel reports nothing; only the missing answers show it.
final class BadLinksStep {
  private static final int PARTS = 3; // before, A bad, B silent
  private static final long BEFORE_NS = 6_000_000_000L; // more than an interval of the bill
  private static final long AFTER_NS = 4_000_000_000L;

  /// Time between the mark of a part and its event, so that what is in flight belongs to the event.
  private static final long IN_FLIGHT_NS = 100_000_000L;

  private static final long GAP_LIMIT_NS = 1_000_000_000L;

  /// Share that may be lost while link A is left, which itself loses 36 % there and back. Mostly
  /// nothing is lost.
  private static final double LOST_LIMIT = 0.01;

  private final DeviceLinks links;

  BadLinksStep(DeviceLinks links) {
    this.links = links;
  }

  /// Runs the step.
  void run(Narration narration) throws IOException {
    links.restore();
    AtomicInteger part = new AtomicInteger();
    CompletableFuture<List<PacedStream.Result>> stream = links.stream(PARTS, part::get);
    long movedNs;
    try {
      links.awaitStreamBy(DeviceLinks.A);
      links.pause(BEFORE_NS);
      movedNs = worsen(narration, part);
      links.pause(AFTER_NS);
      silence(narration, part);
      links.pause(AFTER_NS);
    } finally {
      part.set(PARTS);
    }
    List<PacedStream.Result> parts = stream.orTimeout(20, TimeUnit.SECONDS).join();
    tellOfA(narration, movedNs, parts.get(1));
    tellOfB(narration, parts.get(2));
    links.restore();
  }

  private long worsen(Narration narration, AtomicInteger part) throws IOException {
    part.set(1);
    links.pause(IN_FLIGHT_NS);
    links.topology.weather("A", "delay=100ms", "loss=20%");
    narration.line("link A: 20 %% loss each way and 200 ms more there and back, at once");
    return links.awaitStreamBy(DeviceLinks.B);
  }

  private void silence(Narration narration, AtomicInteger part) throws IOException {
    part.set(2);
    links.pause(IN_FLIGHT_NS);
    links.topology.gateway("B").ip("link set core0 down");
    narration.line(
        "gateway B forwards nothing any more; link B is up at the device, link A is still bad");
    links.awaitUsed(DeviceLinks.A);
  }

  private static void tellOfA(Narration narration, long movedNs, PacedStream.Result stream) {
    narration.hold(
        stream.returned() > 0 && stream.lost() <= LOST_LIMIT * stream.sent(),
        "the stream left the bad link A after %.1f s: lost %d of %d packets there and back",
        movedNs / 1e9,
        stream.lost(),
        stream.sent());
  }

  private static void tellOfB(Narration narration, PacedStream.Result stream) {
    narration.hold(
        stream.returned() > 0 && stream.gapNs() < GAP_LIMIT_NS,
        "the same stream left the silent link B for the bad link A: longest gap %.0f ms, lost %d of"
            + " %d packets there and back, of which A alone loses 36 %%",
        stream.gapNs() / 1e6,
        stream.lost(),
        stream.sent());
  }
}
