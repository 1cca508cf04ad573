package io.viaduct.service.reload;

import org.jspecify.annotations.Nullable;
import sun.misc.Signal;

/// Handles a signal of the operator, such as SIGHUP, the request to reload the configuration;
/// without a handler it would end the JVM. A signal during the start is kept until the process
/// serves. A process that was started to ignore it (`nohup`) still ignores it.
public final class KeptSignal {
  private final String name;
  private @Nullable Runnable action; // guarded by this
  private boolean kept; // guarded by this

  private KeptSignal(String name) {
    this.name = name;
  }

  /// Installs the handler: from now on the signal does not end this process.
  ///
  /// @param name of the signal without SIG, such as HUP. USR2 is the JVM's own
  public static KeptSignal listen(String name) {
    KeptSignal signal = new KeptSignal(name);
    Signal.handle(new Signal(name), _ -> signal.arrived());
    return signal;
  }

  /// Sets the action of the signal, and runs it if a signal has been kept.
  ///
  /// @param action runs on its own thread; a second signal may start a second run at the same time
  public void then(Runnable action) {
    synchronized (this) {
      this.action = action;
      if (!kept) {
        return;
      }
      kept = false;
    }
    start(action);
  }

  private void arrived() {
    Runnable now;
    synchronized (this) {
      now = action;
      kept = now == null;
    }
    if (now != null) {
      start(now);
    }
  }

  private void start(Runnable action) {
    Thread.ofPlatform().daemon().name("signal-" + name).start(action);
  }
}
