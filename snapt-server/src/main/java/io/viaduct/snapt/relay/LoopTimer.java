package io.viaduct.snapt.relay;

import io.netty.channel.IoEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.viaduct.tunnel.scheduling.TimerLateness;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Calls the sessions of one loop when their time has come, with one timer of the loop for all.
final class LoopTimer {
  /// What a session that is late is given: it would otherwise be called again without end.
  private static final long DISTANCE_NS_MIN = 100_000;

  /// Nothing is wanted: looked at again after this.
  private static final long FAR_NS = TimeUnit.MINUTES.toNanos(1);

  /// Told of a session whose deadline has passed; sets the next one.
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

  /// @param lateness told of each time that the timer fires
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

  // A timer that fires too early costs one look; so an armed one is only replaced by an earlier
  // one.
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
