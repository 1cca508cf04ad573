package io.viaduct.tunnel.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/// Paces over links of any rate, length and buffer. A failure prints its seed.
class PacerProperties {
  private static final long MS = 1_000_000;

  @Property(tries = 20, shrinking = ShrinkingMode.OFF)
  void everyLinkIsUsedAndItsBufferStaysShort(@ForAll long seed) {
    var random = new SplittableRandom(seed);
    double rate = 2e6 * Math.pow(100, random.nextDouble());
    long delayNs = random.nextLong(1, 60) * MS;
    long bufferNs = random.nextLong(60, 400) * MS;
    var sender = new PacedSender(rate, delayNs, bufferNs, rate * 3);
    sender.run(6);
    double carried = sender.run(8);
    String line =
        "seed %d: %.1f Mbit/s, %d ms, buffer %d ms, carried %.3f, queue p50 %.1f p99 %.1f ms"
            .formatted(
                seed,
                rate / 1e6,
                delayNs / MS,
                bufferNs / MS,
                carried / rate,
                sender.queueMs(50),
                sender.queueMs(99));
    assertThat(carried / rate).as(line).isGreaterThan(0.95);
    double packetsMs = 3_000 * 8e3 / rate;
    assertThat(sender.queueMs(50)).as(line).isLessThan(12 + 1.5 * packetsMs);
    // A receipt reports four such pairs, so a rate that was taken too high is seen and drained
    // after that time. One link in two hundred of 2 to 4 Mbit/s comes near this bound, the others
    // come to half of it.
    assertThat(sender.queueMs(99)).as(line).isLessThan(30 + 8 * packetsMs);
  }
}
