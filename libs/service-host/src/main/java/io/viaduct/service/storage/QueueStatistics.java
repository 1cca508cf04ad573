package io.viaduct.service.storage;

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
  /// Ends of an entry, and what happens to it before.
  public enum Fate {
    STORED,
    /// The receiver has it.
    DELIVERED,
    /// The receiver refused it for good; its file is in `refused`.
    REFUSED,
    /// It got no answer, or one that says to try again.
    RETRIED,
    /// The queue was full.
    FULL,
    /// Its file cannot be read as an entry.
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

  void waiting(int entries) {
    waiting.set(entries);
  }

  public long of(Fate fate) {
    return adder(fate).sum();
  }

  /// Returns the entries in the queue.
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
  ///
  /// @param queued name of the counter of entries by their fate
  /// @param queue name of the gauge of entries that wait
  /// @param what description of the entries, such as *Diameter requests*
  public void bindTo(MeterRegistry registry, String queued, String queue, String what) {
    fates.forEach((fate, adder) ->
        FunctionCounter.builder(queued, adder, LongAdder::sum)
            .description(what + " that were kept on disk, by what became of them")
            .tag("fate", fate.name().toLowerCase(Locale.ROOT))
            .register(registry));
    Gauge.builder(queue, waiting, AtomicInteger::get)
        .description(what + " on disk that nothing has answered")
        .register(registry);
  }
}
