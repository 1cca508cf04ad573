package io.viaduct.testbed.process;

import java.io.PrintStream;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A service that is kept running. If it ends unexpectedly, it is started again at once with the
/// same command. This stops when its restart limit is reached, or when its exit code shows that a
/// restart cannot help.
public final class SupervisedService {
  private static final int LOG_LINES_SHOWN = 25;
  private static final int SIGNALLED = 128; // signal n gives the exit code 128 + n
  private static final Map<Integer, String> SIGNALS = // signal(7)
      Map.of(
          1, "SIGHUP", 2, "SIGINT", 3, "SIGQUIT", 6, "SIGABRT", 7, "SIGBUS", 9, "SIGKILL", 11,
          "SIGSEGV", 15, "SIGTERM");

  /// Exit codes of sysexits.h after which a restart cannot help: usage, permission, configuration.
  private static final Set<Integer> HOPELESS = Set.of(64, 77, 78);

  /// Receives the ends of a service, on a thread of the supervision.
  public interface Listener {
    /// Called after a restart.
    ///
    /// @param how it ended: the signal or the exit code
    /// @param times restarts of this service so far, this one included
    void restarted(String service, String how, int times);

    /// Called when the service is not restarted any more.
    ///
    /// @param why with the end of its log
    void gaveUp(String service, String why);

    /// Returns a listener that prints one line per event.
    static Listener to(PrintStream lines) {
      return new Listener() {
        @Override
        public void restarted(String service, String how, int times) {
          lines.printf("viaduct: %s %s and was restarted (%d×)%n", service, how, times);
        }

        @Override
        public void gaveUp(String service, String why) {
          lines.println("viaduct: " + why);
        }
      };
    }
  }

  private final Supplier<ServiceProcess> starter;
  private final RestartLimit limit;
  private final Listener listener;
  private final LongSupplier nanoTime;
  private volatile ServiceProcess current;
  private volatile int restarts;
  private volatile long lastRestartNs;
  private volatile @Nullable String failure;
  private boolean isStopping;

  private SupervisedService(
      Supplier<ServiceProcess> starter,
      RestartLimit limit,
      Listener listener,
      LongSupplier nanoTime) {
    this.starter = starter;
    this.limit = limit;
    this.listener = listener;
    this.nanoTime = nanoTime;
    this.current = starter.get();
  }

  /// Starts a service and supervises it.
  ///
  /// @param starter starts one run
  public static SupervisedService start(
      Supplier<ServiceProcess> starter,
      RestartLimit limit,
      Listener listener,
      LongSupplier nanoTime) {
    var service = new SupervisedService(starter, limit, listener, nanoTime);
    Thread.ofPlatform()
        .daemon()
        .name("supervisor-" + service.current.name())
        .start(service::supervise);
    return service;
  }

  private void supervise() {
    String name = current.name();
    int status = current.awaitEnd();
    while (restart(status)) {
      listener.restarted(name, ended(status), restarts);
      status = current.awaitEnd();
    }
    if (failure != null) {
      listener.gaveUp(name, failure);
    }
  }

  private synchronized boolean restart(int status) {
    if (isStopping) {
      return false;
    }
    boolean isHopeless = HOPELESS.contains(status);
    long nowNs = nanoTime.getAsLong();
    if (isHopeless || !limit.spend(nowNs)) {
      failure =
          "%s %s%s; the end of its log:%n%s"
              .formatted(
                  current.name(),
                  ended(status),
                  isHopeless ? "" : " after " + limit,
                  current.lastLines(LOG_LINES_SHOWN));
      return false;
    }
    lastRestartNs = nowNs;
    restarts++;
    current = starter.get();
    return true;
  }

  private static String ended(int status) {
    String signal = SIGNALS.get(status - SIGNALLED);
    return signal == null ? "ended with exit code " + status : "ended by " + signal;
  }

  /// Returns the current run.
  public ServiceProcess process() {
    return current;
  }

  /// Returns the number of restarts.
  public int restarts() {
    return restarts;
  }

  /// Returns true if the service was restarted after a moment.
  public boolean restartedAfter(long momentNs) {
    return restarts > 0 && lastRestartNs - momentNs > 0;
  }

  /// Returns the reason why the service is not restarted any more; null while it runs.
  public @Nullable String failure() {
    return failure;
  }

  /// Sends SIGKILL, and does not restart the service.
  public synchronized void kill() {
    isStopping = true;
    current.kill();
  }

  /// Sends SIGTERM, as an operator would, and does not restart the service.
  ///
  /// @return its exit code
  public synchronized int stop() {
    isStopping = true;
    return current.stop();
  }
}
