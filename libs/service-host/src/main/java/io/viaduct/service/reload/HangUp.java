package io.viaduct.service.reload;

import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/// Handles SIGHUP as the request to reload the configuration; without a handler it would end the
/// JVM. A signal during the start is kept until the process serves. A process that was started to
/// ignore SIGHUP (`nohup`) still ignores it.
public final class HangUp {
  private @Nullable Runnable reload; // guarded by this
  private boolean kept; // guarded by this

  private HangUp() {}

  /// Installs the handler: from now on SIGHUP does not end this process.
  public static HangUp listen() {
    HangUp hangUp = new HangUp();
    Signal.handle(new Signal("HUP"), _ -> hangUp.arrived());
    return hangUp;
  }

  /// Sets the action of SIGHUP, and runs it if a signal has been kept.
  ///
  /// @param reload runs on its own thread; a second signal may start a second run at the same time
  public void then(Runnable reload) {
    synchronized (this) {
      this.reload = reload;
      if (!kept) {
        return;
      }
      kept = false;
    }
    start(reload);
  }

  private void arrived() {
    Runnable now;
    synchronized (this) {
      now = reload;
      kept = now == null;
    }
    if (now != null) {
      start(now);
    }
  }

  private static void start(Runnable reload) {
    Thread.ofPlatform().daemon().name("reload").start(reload);
  }
}
