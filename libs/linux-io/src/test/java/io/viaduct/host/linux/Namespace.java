package io.viaduct.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/// A network namespace that exists as long as its one thread. Code that runs on the thread opens
/// its sockets and devices and starts its commands in the namespace.
public final class Namespace implements AutoCloseable {
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("namespace").factory());

  /// Makes a namespace, or skips the test with the reason.
  public static Namespace create() throws Exception {
    Namespace namespace = new Namespace();
    int result = namespace.run(() -> new SystemCalls().unshare(Sockets.CLONE_NEWNET));
    if (result < 0) {
      namespace.close();
      skip("a network namespace needs CAP_SYS_ADMIN, unshare says " + Errno.text(result));
    }
    if (!Files.isWritable(Path.of("/dev/net/tun"))) {
      namespace.close();
      skip("/dev/net/tun is missing or not writable");
    }
    namespace.command("ip link set lo up");
    return namespace;
  }

  private static void skip(String reason) {
    System.out.println("skipped: " + reason);
    Assumptions.abort(reason);
  }

  /// Runs code in the namespace and waits for its result.
  public <T> T run(Callable<T> body) throws Exception {
    try {
      return thread.submit(body).get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  /// Runs a command in the namespace; it must succeed.
  public String command(String command) throws Exception {
    return run(() -> {
      Process process = new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes());
      assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
      return output;
    });
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
