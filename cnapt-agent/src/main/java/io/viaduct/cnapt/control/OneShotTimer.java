package io.viaduct.cnapt.control;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs one task after a time; a later task takes the place of the one that waits. Owner: the
/// control event loop.
final class OneShotTimer {
  private final EventLoop loop;
  private @Nullable ScheduledFuture<?> armed;

  OneShotTimer(EventLoop loop) {
    this.loop = loop;
  }

  /// Runs a task after a time.
  void after(long delayMs, Runnable task) {
    stop();
    armed = loop.schedule(task, delayMs, TimeUnit.MILLISECONDS);
  }

  /// Gives up the task that waits.
  void stop() {
    ScheduledFuture<?> waiting = armed;
    if (waiting != null) {
      waiting.cancel(false);
      armed = null;
    }
  }

  /// Returns whether a task was given since the last [#stop]; it may have run.
  boolean isArmed() {
    return armed != null;
  }
}
