package io.viaduct.service.command;

import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A process that serves until a signal (SIGTERM, SIGINT), then closes what it serves and ends with
/// code 0: a stop that lost nothing is a success, which the JVM by itself would report as 143.
public final class CleanStop {
  private static final Logger LOG = LoggerFactory.getLogger(CleanStop.class);

  private CleanStop() {}

  /// Brings a service up. It may fail.
  @FunctionalInterface
  public interface Starting {
    void start() throws Exception;
  }

  /// Does not return: it ends by a signal or by the exception of the start.
  ///
  /// @param service closed on a signal, also in the middle of its start, and after a failed start
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
      LOG.warn("the stop was not clean: {}", e.toString());
    }
    Runtime.getRuntime().halt(ExitCode.OK);
  }

  // A failed start keeps its exit code; a start that failed because of the signal ends with it.
  private static void stay(Thread hook) throws InterruptedException {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      hook.join();
    }
  }
}
