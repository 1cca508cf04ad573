package io.viaduct.service.command;

import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs a service until SIGTERM or SIGINT, then closes it and ends the process with code 0. A clean
/// stop is a success, but the JVM's own exit code would be 143.
public final class CleanStop {
  private static final Logger LOG = LoggerFactory.getLogger(CleanStop.class);

  private CleanStop() {}

  /// Starts a service; may fail.
  @FunctionalInterface
  public interface Starting {
    void start() throws Exception;
  }

  /// Starts and serves. Never returns normally: a signal ends the process, or the start throws.
  ///
  /// @param service closed at a signal, also during the start, and after a failed start
  public static void serve(AutoCloseable service, Starting starting) throws Exception {
    Thread hook = new Thread(() -> end(service), "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      starting.start();
    } catch (Exception e) {
      stay(hook);
      service.close();
      throw e;
    }
    new CountDownLatch(1).await();
  }

  private static void end(AutoCloseable service) {
    try {
      service.close();
    } catch (Exception e) {
      LOG.warn("the service failed to stop cleanly: {}", e.toString());
    }
    Runtime.getRuntime().halt(ExitCode.OK);
  }

  // After a failed start the process ends with the exit code of the failure. If a signal caused the
  // failure, the hook ends the process.
  private static void stay(Thread hook) throws InterruptedException {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      hook.join();
    }
  }
}
