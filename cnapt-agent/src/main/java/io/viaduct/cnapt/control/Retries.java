package io.viaduct.cnapt.control;

import io.netty.channel.EventLoop;
import io.viaduct.tunnel.control.v1.RefusalCode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The time of the next attempt of a control client, and what the last refusal says about it.
/// Owner: the control loop.
final class Retries {
  private static final Logger LOG = LoggerFactory.getLogger(Retries.class);

  private final OneShotTimer next;
  private final OneShotTimer restEnd;
  private boolean hopeless;
  private boolean drains;
  private String loggedWords = "";

  Retries(EventLoop loop) {
    this.next = new OneShotTimer(loop);
    this.restEnd = new OneShotTimer(loop);
  }

  /// Runs an attempt after a pause, in place of the one that waits.
  void after(long pauseMs, Runnable attempt) {
    next.after(pauseMs, attempt);
  }

  /// Returns whether an attempt waits.
  boolean isWaiting() {
    return next.isArmed();
  }

  /// Gives up the attempt that waits.
  void cancel() {
    next.stop();
  }

  /// Looks after a pause whether the SNAPT that was left without another one serves again.
  void lookAfterRest(long pauseMs, Runnable look) {
    restEnd.after(pauseMs, look);
  }

  /// Ends all.
  void close() {
    next.stop();
    restEnd.stop();
  }

  /// Notes a refusal.
  void refused(RefusalCode code) {
    drains |= code == RefusalCode.DRAINING;
    hopeless |= code == RefusalCode.DRAINING || code == RefusalCode.SESSIONS_EXHAUSTED;
  }

  /// Notes that another attempt at the same SNAPT would be useless.
  void noHope() {
    hopeless = true;
  }

  /// Forgets what was noted about the last attempt.
  void forget() {
    hopeless = false;
    drains = false;
  }

  /// Returns whether another attempt at the same SNAPT would be useless.
  boolean isHopeless() {
    return hopeless;
  }

  /// Returns whether the SNAPT has refused because it drains.
  boolean isDrained() {
    return drains;
  }

  /// Logs a failure. A repeated one is logged once, not for each attempt.
  void tell(@Nullable Snapt at, ControlFailure why, String detail) {
    String words = at + ": " + why.label() + ": " + detail;
    if (!words.equals(loggedWords)) {
      loggedWords = words;
      LOG.warn("control connection to {}", words);
    }
  }

  /// Lets the next failure be logged whatever it is.
  void succeeded() {
    loggedWords = "";
  }
}
