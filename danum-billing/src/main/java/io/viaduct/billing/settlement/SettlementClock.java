package io.viaduct.billing.settlement;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.TransactionException;

/// Runs the settlement of due intervals and other periodic tasks on one thread of its own.
public final class SettlementClock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SettlementClock.class);

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().name("settlement").daemon().factory());
  private final Settlement settlement;
  private final JdbcClient jdbc;
  private final ChargeListener listener;
  private final DatabaseWatcher watcher;
  private final InstantSource clock;
  private final Counter settled;
  private final Counter failed;

  /// Is told after each task whether the database answered.
  @FunctionalInterface
  public interface DatabaseWatcher {
    void databaseAnswered(boolean isAvailable);
  }

  public SettlementClock(
      Settlement settlement,
      JdbcClient jdbc,
      ChargeListener listener,
      DatabaseWatcher watcher,
      InstantSource clock,
      MeterRegistry registry) {
    this.settlement = settlement;
    this.jdbc = jdbc;
    this.listener = listener;
    this.watcher = watcher;
    this.clock = clock;
    settled =
        Counter.builder("viaduct_intervals_settled")
            .description("Intervals that became final")
            .register(registry);
    failed =
        Counter.builder("viaduct_settlement_failures")
            .description("Runs of the settlement or the verification that the database refused")
            .register(registry);
  }

  /// Starts the periodic settlement.
  public void start(Duration period) {
    every(period, this::settle);
  }

  /// Runs another task periodically on the same thread. The first run is after one period.
  public void every(Duration period, Runnable task) {
    schedule(period, period, task);
  }

  /// Runs another task periodically on the same thread. The first run is now.
  public void atOnceAndEvery(Duration period, Runnable task) {
    schedule(Duration.ZERO, period, task);
  }

  private void schedule(Duration first, Duration period, Runnable task) {
    thread.scheduleWithFixedDelay(
        () -> guarded(task), first.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
  }

  // If the database is not available, the next run tries again. Any other exception is a bug; it
  // must not stop the periodic runs.
  private void guarded(Runnable task) {
    try {
      task.run();
      watcher.databaseAnswered(true);
    } catch (DataAccessException | TransactionException e) {
      watcher.databaseAnswered(false);
      failed.increment();
      LOG.warn("settlement waits for the database: {}", e.toString());
    } catch (RuntimeException e) {
      failed.increment();
      LOG.error("settlement failed", e);
    }
  }

  private void settle() {
    List<Long> intervals = settlement.settleDue(clock.instant());
    settled.increment(intervals.size());
    if (!intervals.isEmpty()) {
      Map<String, List<Long>> charges = new TreeMap<>();
      jdbc.sql("select account, id from charge where interval_id = any(?)")
          .param(intervals.toArray(Long[]::new))
          .query(row -> {
            charges.computeIfAbsent(row.getString(1), _ -> new ArrayList<>()).add(row.getLong(2));
          });
      charges.forEach(listener::changed);
    }
  }

  /// Stops the periodic tasks. Waits up to 5 s for a running one.
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
