package io.viaduct.testbed.process;

import java.io.PrintStream;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A service that is kept running: one that ends unasked is started again at once, with the same
/// command, until it has done so too often or its exit code says that starting again cannot help.
public final class SupervisedService {
  private static final int LOG_LINES_SHOWN = 25;
  private static final int SIGNALLED = 128; // exit code of a process ended by signal n: 128 + n
  private static final Map<Integer, String> SIGNALS = // signal(7)
      Map.of(
          1, "SIGHUP", 2, "SIGINT", 3, "SIGQUIT", 6, "SIGABRT", 7, "SIGBUS", 9, "SIGKILL", 11,
          "SIGSEGV", 15, "SIGTERM");

  /// sysexits.h: usage, permission, configuration.
  private static final Set<Integer> HOPELESS = Set.of(64, 77, 78);

  /// Who is told; on a thread of the supervision.
  public interface Listener {
    /// @param how it ended: the signal or the exit code
    /// @param times restarts of this service until now, this one included
    void restarted(String service, String how, int times);

    /// @param why with the end of its log
    void gaveUp(String service, String why);

    /// Lines of a program that has nobody else to tell.
    static Listener to(PrintStream lines) {
      return new Listener() {
        @Override
        public void restarted(String service, String how, int times) {
          lines.printf("viaduct: %s %s and was started again (%d×)%n", service, how, times);
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
  private boolean stopping;

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

  /// Starts it and watches over it.
  ///
  /// @param starter of one run
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
    if (stopping) {
      return false;
    }
    boolean hopeless = HOPELESS.contains(status);
    long now = nanoTime.getAsLong();
    if (hopeless || !limit.spend(now)) {
      failure =
          "%s %s%s; the end of its log:%n%s"
              .formatted(
                  current.name(),
                  ended(status),
                  hopeless ? "" : " after " + limit,
                  current.lastLines(LOG_LINES_SHOWN));
      return false;
    }
    lastRestartNs = now;
    restarts++;
    current = starter.get();
    return true;
  }

  private static String ended(int status) {
    String signal = SIGNALS.get(status - SIGNALLED);
    return signal == null ? "ended with exit code " + status : "ended by " + signal;
  }

  /// The run of now.
  public ServiceProcess process() {
    return current;
  }

  /// How often it was started again.
  public int restarts() {
    return restarts;
  }

  /// Whether it was started again after a moment.
  public boolean restartedAfter(long ns) {
    return restarts > 0 && lastRestartNs - ns > 0;
  }

  /// Why it is not started any more; null while it is.
  public @Nullable String failure() {
    return failure;
  }

  /// SIGTERM, as an operator stops it; it is not started again.
  ///
  /// @return its exit code
  public synchronized int stop() {
    stopping = true;
    return current.stop();
  }
}
