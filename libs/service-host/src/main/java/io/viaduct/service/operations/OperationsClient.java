package io.viaduct.service.operations;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// Requests the status of a process on this machine, or lets it act, over its Unix socket.
public final class OperationsClient {
  /// Longest answer that is read.
  static final int ANSWER_BYTES_MAX = 16 * 1024 * 1024;

  private static final String REQUEST =
      "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

  private OperationsClient() {}

  /// Fetches `/status`.
  ///
  /// @param socket the process's Unix socket
  /// @param timeout longest wait for the whole answer
  /// @return the JSON text
  /// @throws UnavailableException if the process does not run, does not answer in time, or answers
  ///   with an error
  public static String status(Path socket, Duration timeout) throws UnavailableException {
    return ask(socket, "GET", "/status", timeout);
  }

  /// Lets the process act.
  ///
  /// @param path of an [OperationsAction], with its query
  /// @return the JSON text of what was done
  /// @throws UnavailableException as [#status], and if the process refuses; the message has its
  ///   words
  public static String act(Path socket, String path, Duration timeout) throws UnavailableException {
    return ask(socket, "POST", path, timeout);
  }

  private static String ask(Path socket, String method, String path, Duration timeout)
      throws UnavailableException {
    byte[] request = REQUEST.formatted(method, path).getBytes(ISO_8859_1);
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Thread asking =
        Thread.ofVirtual()
            .start(() -> {
              try {
                answer.complete(exchange(socket, request));
              } catch (IOException | RuntimeException e) {
                answer.completeExceptionally(e);
              }
            });
    try {
      return body(socket, answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException _) {
      throw new UnavailableException(
          "%s: no answer within %d ms: check the process and its log"
              .formatted(socket, timeout.toMillis()));
    } catch (ExecutionException e) {
      throw new UnavailableException(why(socket, e.getCause()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new UnavailableException(socket + ": interrupted while waiting for the answer");
    } finally {
      asking.interrupt(); // closes the channel if the thread still waits
    }
  }

  private static byte[] exchange(Path socket, byte[] asked) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      ByteBuffer request = ByteBuffer.wrap(asked);
      while (request.hasRemaining()) {
        channel.write(request);
      }
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      ByteBuffer chunk = ByteBuffer.allocate(64 * 1024);
      while (channel.read(chunk.clear()) >= 0) {
        answer.write(chunk.array(), 0, chunk.position());
        if (answer.size() > ANSWER_BYTES_MAX) {
          throw new IOException("answer longer than " + ANSWER_BYTES_MAX + " bytes");
        }
      }
      return answer.toByteArray();
    }
  }

  private static String body(Path socket, byte[] answer) throws UnavailableException {
    // Latin-1 maps each byte to one char, so positions found in this view are byte positions.
    String view = new String(answer, ISO_8859_1);
    int end = view.indexOf("\r\n\r\n");
    if (!view.startsWith("HTTP/1.1 ") || end < 0) {
      throw new UnavailableException(socket + ": does not answer HTTP: is it the right socket?");
    }
    int start = end + 4;
    String text = new String(answer, start, answer.length - start, UTF_8);
    String code = view.substring("HTTP/1.1 ".length(), view.indexOf('\r'));
    if (!code.startsWith("200")) {
      throw new UnavailableException("%s: answers %s: %s".formatted(socket, code, text.strip()));
    }
    return text;
  }

  private static String why(Path socket, @Nullable Throwable cause) {
    if (!Files.exists(socket)) {
      return socket + ": does not exist: the process is not running, or runs with another socket";
    }
    if (!Files.isReadable(socket)) {
      return socket + ": belongs to another user: run this command as that user or as root";
    }
    return socket + ": no process listens on it, so the process is not running: " + cause;
  }
}
