package io.viaduct.diameter.peer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/// Gives end-to-end identifiers: unique for at least four minutes, also across a restart (RFC 6733
/// section 3). The high 12 bits are the second of the start, the low 20 bits begin at a random
/// value; the sum then counts.
final class EndToEndIds {
  private final AtomicInteger next;

  EndToEndIds(long startSeconds, RandomGenerator random) {
    this.next = new AtomicInteger((int) (startSeconds << 20) | random.nextInt(1 << 20));
  }

  int take() {
    return next.getAndIncrement();
  }
}
