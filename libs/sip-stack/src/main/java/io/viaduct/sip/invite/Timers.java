package io.viaduct.sip.invite;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// The timers of transactions (RFC 3261 section 17, table 4). Thread-safe.
public final class Timers implements AutoCloseable {
  static final Duration T1 = Duration.ofMillis(500);
  static final Duration T2 = Duration.ofSeconds(4);
  static final Duration T4 = Duration.ofSeconds(5);

  /// 64 * T1: lifetime of a transaction.
  static final Duration LIFETIME = T1.multipliedBy(64);

  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("sip-timers").factory());
  private final Executor tasks;

  /// @param tasks runs the actions; the thread of the timers only hands them over
  public Timers(Executor tasks) {
    this.tasks = tasks;
  }

  void after(Duration delay, Runnable action) {
    try {
      var unused = clock.schedule(() -> handOver(action), delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // the endpoint is closing
    }
  }

  private void handOver(Runnable action) {
    try {
      tasks.execute(action);
    } catch (RejectedExecutionException e) {
      // the endpoint is closing
    }
  }

  /// Runs an action again and again, with pauses that double from T1.
  ///
  /// @param longest longest pause
  /// @param action returns whether it must run again
  void repeat(Duration longest, java.util.function.BooleanSupplier action) {
    repeat(T1, longest, action);
  }

  private void repeat(Duration pause, Duration longest, java.util.function.BooleanSupplier action) {
    after(
        pause,
        () -> {
          if (action.getAsBoolean()) {
            Duration twice = pause.multipliedBy(2);
            repeat(twice.compareTo(longest) < 0 ? twice : longest, longest, action);
          }
        });
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
