package io.viaduct.service.operations;

import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Starts listeners. If the kernel refuses the address, the message names the configuration keys,
/// host, port and a remedy; the process then ends with exit code 69.
public final class Listening {
  private Listening() {}

  /// Starts a listener.
  ///
  /// @param <E> another exception that the start may throw
  @FunctionalInterface
  public interface Start<T, E extends Exception> {
    T start() throws IOException, E;
  }

  /// Starts a listener, and explains a refusal by the kernel.
  ///
  /// @param hostKey configuration key of the host, such as `rest.host`
  /// @param portKey configuration key of the port, such as `rest.port`
  /// @param transport TCP, UDP
  /// @throws IOException if the kernel refuses the address
  public static <T, E extends Exception> T on(
      String hostKey, String portKey, String transport, String host, int port, Start<T, E> start)
      throws IOException, E {
    try {
      return start.start();
    } catch (Exception e) {
      String why = refusal(e, hostKey, portKey);
      if (why == null) {
        throw e;
      }
      throw new IOException(
          "%s, %s: cannot listen on %s %s: %s"
              .formatted(
                  hostKey,
                  portKey,
                  transport,
                  host.contains(":") ? "[" + host + "]:" + port : host + ":" + port,
                  why));
    }
  }

  /// Returns why the kernel refused to listen and the remedy, or null if something else failed.
  private static @Nullable String refusal(Throwable failure, String hostKey, String portKey) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
      // The JDK, libraries and our own system calls name the same errors in different ways.
      if (message.contains("address already in use")
          || message.contains("is already in use")
          || message.contains("eaddrinuse")) {
        return "address already in use: stop the process that has it, or change " + portKey;
      }
      if (message.contains("cannot assign requested address")
          || message.contains("eaddrnotavail")) {
        return "this machine has no such address: correct " + hostKey;
      }
      if (message.contains("permission denied") || message.contains("eacces")) {
        return "permission denied: ports below 1024 need CAP_NET_BIND_SERVICE; change " + portKey;
      }
    }
    return null;
  }
}
