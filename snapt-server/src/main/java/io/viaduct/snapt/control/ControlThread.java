package io.viaduct.snapt.control;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/// The event loop of the control connections, which owns the session registry. Once this SNAPT
/// stops, work that comes is left out: the stop ends every session. Any thread may call this.
public final class ControlThread {
  private static final long ANSWER_MS_MAX = 2_000; // less than an operator's command waits

  private final EventLoopGroup group;

  /// @param group one event loop
  ControlThread(EventLoopGroup group) {
    this.group = group;
  }

  /// Runs work on this thread, unless this SNAPT stops before.
  public void run(Runnable work) {
    run(work, () -> {});
  }

  /// Runs work on this thread, or something else at once if this SNAPT stops.
  ///
  /// @param stopping runs on the thread of the caller
  void run(Runnable work, Runnable stopping) {
    try {
      group.execute(work);
    } catch (RejectedExecutionException _) {
      stopping.run();
    }
  }

  /// Runs work on this thread after a time, unless this SNAPT stops before.
  public void later(long delayMs, Runnable work) {
    try {
      var unused = group.next().schedule(work, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      // the stop ends what the work is for
    }
  }

  /// Runs work on this thread again and again, from one period on.
  ///
  /// @return false if this SNAPT is stopping
  boolean every(long periodMs, Runnable work) {
    return !group
        .next()
        .scheduleAtFixedRate(work, periodMs, periodMs, TimeUnit.MILLISECONDS)
        .isDone();
  }

  /// Runs work on this thread, and blocks until it is done; throws what it throws. Must not be
  /// called on this thread.
  ///
  /// @throws IllegalStateException if this SNAPT is stopping, or this thread is busy for long
  void await(Runnable work) {
    Future<?> done;
    try {
      done = group.submit(work);
    } catch (RejectedExecutionException e) {
      throw new IllegalStateException(
          "this SNAPT is stopping: it takes no new session anyway, and sessions end now", e);
    }
    if (!done.awaitUninterruptibly(ANSWER_MS_MAX)) {
      throw new IllegalStateException(
          "the control thread has not answered within %d ms: look at the status and try again"
              .formatted(ANSWER_MS_MAX));
    }
    done.syncUninterruptibly();
  }

  /// Runs the last work, and ends. Returns when what it has written has left.
  void stop(Runnable last) {
    group.next().submit(last).awaitUninterruptibly();
    group.shutdownGracefully(50, 1_000, TimeUnit.MILLISECONDS).awaitUninterruptibly();
  }
}
