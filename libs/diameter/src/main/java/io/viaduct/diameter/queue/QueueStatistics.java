package io.viaduct.diameter.queue;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// Counters of a queue. Thread-safe.
public final class QueueStatistics {
  /// Ends of a request, and what happens to it before.
  public enum Fate {
    STORED,
    /// The peer has it.
    DELIVERED,
    /// The peer refused it for good; its file is in `refused`.
    REFUSED,
    /// It got no answer, or one that says to try again.
    RETRIED,
    /// The queue was full.
    FULL,
    /// Its file cannot be read as a request.
    UNREADABLE,
    /// The disk failed.
    DISK_FAILED
  }

  private final Map<Fate, LongAdder> fates = new EnumMap<>(Fate.class);
  private final AtomicInteger waiting = new AtomicInteger();

  QueueStatistics() {
    for (Fate fate : Fate.values()) {
      fates.put(fate, new LongAdder());
    }
  }

  void count(Fate fate) {
    adder(fate).increment();
  }

  void waiting(int requests) {
    waiting.set(requests);
  }

  public long of(Fate fate) {
    return adder(fate).sum();
  }

  /// Returns the requests in the queue.
  public int waiting() {
    return waiting.get();
  }

  private LongAdder adder(Fate fate) {
    LongAdder adder = fates.get(fate);
    if (adder == null) {
      throw new IllegalStateException("no counter for " + fate);
    }
    return adder;
  }

  /// Registers the counters.
  public void bindTo(MeterRegistry registry) {
    fates.forEach((fate, adder) ->
        FunctionCounter.builder("viaduct_diameter_queued", adder, LongAdder::sum)
            .description("Diameter requests that were kept on disk, by what became of them")
            .tag("fate", fate.name().toLowerCase(Locale.ROOT))
            .register(registry));
    Gauge.builder("viaduct_diameter_queue", waiting, AtomicInteger::get)
        .description("Diameter requests on disk that no peer has answered")
        .register(registry);
  }
}
