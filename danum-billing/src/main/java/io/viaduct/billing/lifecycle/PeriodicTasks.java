package io.viaduct.billing.lifecycle;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/// Runs periodic tasks on virtual threads. A slow task does not hold up the others.
public final class PeriodicTasks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeriodicTasks.class);
  private static final int THREADS = 4;

  private final ScheduledExecutorService threads;

  /// @param name name of the threads
  public PeriodicTasks(String name) {
    threads =
        Executors.newScheduledThreadPool(THREADS, Thread.ofVirtual().name(name + "-", 0).factory());
  }

  /// Runs a task periodically. The first run is after one period.
  public void every(Duration period, String what, Runnable task) {
    schedule(period, period, what, task);
  }

  /// Runs a task now and then periodically.
  public void atOnceAndEvery(Duration period, String what, Runnable task) {
    schedule(Duration.ZERO, period, what, task);
  }

  private void schedule(Duration first, Duration period, String what, Runnable task) {
    var unused =
        threads.scheduleWithFixedDelay(
            () -> guarded(what, task), first.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
  }

  // If the database is not available, the next run tries again. Any other exception is a bug; it
  // must not stop the periodic runs.
  private static void guarded(String what, Runnable task) {
    try {
      task.run();
    } catch (DataAccessException | TransactionException e) {
      LOG.warn("{} waits for the database: {}", what, e.toString());
    } catch (RuntimeException e) {
      LOG.error("{} failed", what, e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
