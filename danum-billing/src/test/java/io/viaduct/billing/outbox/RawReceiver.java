package io.viaduct.billing.outbox;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A receiver of webhooks that behaves as the path says, and knows which requests are open:
///
/// - `/silent…` never answers,
/// - `/trickle…` sends a header every 20 ms and never the end of the head,
/// - `/endless…` answers 200 with a body that never ends,
/// - all others are answered by 204.
final class RawReceiver implements AutoCloseable {
  private static final int PAUSE_MS = 20;

  private final ServerSocket listener;

  /// Paths of requests that have not ended.
  final Set<String> open = ConcurrentHashMap.newKeySet();

  /// Paths of all requests.
  final Set<String> seen = ConcurrentHashMap.newKeySet();

  RawReceiver() throws IOException {
    listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  String url(String path) {
    return "http://127.0.0.1:" + listener.getLocalPort() + path;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException _) {
      // closed by the test
    }
  }

  private void serve(Socket socket) {
    String path = "";
    try (socket) {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
      path = requireNonNull(in.readLine()).split(" ")[1];
      open.add(path);
      seen.add(path);
      answer(path, socket, in);
    } catch (IOException _) {
      // the sender has gone
    } finally {
      open.remove(path);
    }
  }

  private static void answer(String path, Socket socket, BufferedReader in) throws IOException {
    switch (path.replaceAll("^/([a-z]+).*", "$1")) {
      case "silent" -> repeat("", socket, in);
      case "trickle" -> {
        send("HTTP/1.1 200 OK\r\n", socket);
        repeat("X-More: 1\r\n", socket, in);
      }
      case "endless" -> {
        send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", socket);
        repeat("4\r\nmore\r\n", socket, in);
      }
      default -> send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", socket);
    }
  }

  // Sends a text again and again, until the sender of the request closes the connection.
  private static void repeat(String text, Socket socket, BufferedReader in) throws IOException {
    socket.setSoTimeout(PAUSE_MS);
    boolean isOpen = true;
    while (isOpen) {
      try {
        isOpen = in.read() >= 0; // the rest of the request, and then its end
      } catch (SocketTimeoutException _) { // the pause is over
        send(text, socket);
      }
    }
  }

  private static void send(String text, Socket socket) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
