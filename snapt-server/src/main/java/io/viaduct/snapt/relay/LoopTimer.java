package io.viaduct.snapt.relay;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.viaduct.tunnel.scheduling.TimerLateness;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Calls the sessions of one loop at their deadlines. All sessions share one timer of the loop.
final class LoopTimer {
  /// Shortest time to the next call of a session. Without it, a session whose deadline stays in the
  /// past would be called in an endless loop.
  private static final long DISTANCE_NS_MIN = 100_000;

  /// Time to the next call of a session that has no deadline.
  private static final long FAR_NS = TimeUnit.MINUTES.toNanos(1);

  /// Handles a session whose deadline has passed, and sets its next deadline.
  interface Due {
    void onDeadline(RelayedSession session, long nowNs);
  }

  private final IoEventLoop loop;
  private final LongSupplier clock;
  private final TimerLateness lateness;
  private final Due due;
  private final DeadlineQueue queue = new DeadlineQueue();
  private @Nullable ScheduledFuture<?> armed;
  private long armedNs;

  /// @param lateness records how late the timer fires, each time
  LoopTimer(IoEventLoop loop, LongSupplier clock, TimerLateness lateness, Due due) {
    this.loop = loop;
    this.clock = clock;
    this.lateness = lateness;
    this.due = due;
  }

  void set(RelayedSession session, long deadlineNs) {
    long nowNs = clock.getAsLong();
    long wanted = deadlineNs == Long.MAX_VALUE ? nowNs + FAR_NS : deadlineNs;
    queue.set(session, wanted - nowNs < DISTANCE_NS_MIN ? nowNs + DISTANCE_NS_MIN : wanted);
    arm(nowNs);
  }

  void remove(RelayedSession session) {
    queue.remove(session);
  }

  // A timer that fires too early costs one check. An armed timer is therefore replaced only by an
  // earlier one.
  private void arm(long nowNs) {
    RelayedSession first = queue.first();
    if (first == null || armed != null && armedNs - first.deadlineNs <= 0) {
      return;
    }
    if (armed != null) {
      armed.cancel(false);
    }
    armedNs = first.deadlineNs;
    armed = loop.schedule(this::fire, Math.max(0, armedNs - nowNs), TimeUnit.NANOSECONDS);
  }

  private void fire() {
    armed = null;
    long nowNs = clock.getAsLong();
    lateness.fired(nowNs - armedNs);
    for (RelayedSession session = queue.first();
        session != null && session.deadlineNs - nowNs <= 0;
        session = queue.first()) {
      due.onDeadline(session, nowNs);
      if (session.place >= 0 && session.deadlineNs - nowNs <= 0) {
        queue.set(session, nowNs + DISTANCE_NS_MIN);
      }
    }
    arm(nowNs);
  }
}
