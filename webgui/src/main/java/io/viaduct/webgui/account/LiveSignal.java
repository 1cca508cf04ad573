package io.viaduct.webgui.account;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Carries signals from the thread that reads billing's events, and from those that end streams, to
/// the thread that writes to the browser. Changes are not queued but coalesced: the next update
/// shows the present state, so a slow browser costs no memory.
final class LiveSignal {
  /// The writer's next step.
  enum Next {
    /// Something changed: show the present state.
    UPDATE,
    /// Nothing happened for the time waited.
    QUIET,
    /// The browser session is over: the page leaves.
    SESSION_ENDED,
    /// The same session opened a newer live page: this one waits until somebody looks at it again.
    PAUSED,
    /// Billing's stream ended, or this process stops: the browser opens a new one.
    DISCONNECTED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();
  private boolean changed = true; // The first update closes the gap between page and stream.
  private @Nullable Next ending;

  void onChange() {
    lock.lock();
    try {
      changed = true;
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// The first ending stands.
  void onEnd(Next why) {
    lock.lock();
    try {
      if (ending == null) {
        ending = why;
      }
      moved.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits for a change or the end.
  Next await(Duration longest) throws InterruptedException {
    return await(longest, true);
  }

  /// Lets a burst gather: waits the whole time unless the stream ends.
  void gather(Duration time) throws InterruptedException {
    await(time, false);
  }

  private Next await(Duration longest, boolean forChange) throws InterruptedException {
    long leftNs = longest.toNanos();
    lock.lockInterruptibly();
    try {
      while (ending == null && !(forChange && changed) && leftNs > 0) {
        leftNs = moved.awaitNanos(leftNs);
      }
      if (ending != null) {
        return ending;
      }
      boolean update = forChange && changed;
      changed = changed && !update;
      return update ? Next.UPDATE : Next.QUIET;
    } finally {
      lock.unlock();
    }
  }
}
