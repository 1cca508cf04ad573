package io.viaduct.testbed.traffic;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;

/// One GET of a text on one TCP connection. The connection is never opened again: if it breaks, the
/// download has failed.
public final class TextDownload {
  private static final int TIMEOUT_MS = 60_000;
  private static final int BUFFER_BYTES = 64 * 1024;

  private final AtomicLong received = new AtomicLong();
  private volatile boolean isStopped;

  /// Result of a download.
  ///
  /// @param localPort local port of the connection
  public record Result(long bytes, String sha256, int localPort) {}

  /// Returns the body bytes received so far; for other threads.
  public long received() {
    return received.get();
  }

  /// Ends the download early; for other threads.
  public void stop() {
    isStopped = true;
  }

  public Result run(String host, int port, String pathAndQuery) throws IOException {
    try (var socket = new Socket()) {
      socket.setSoTimeout(TIMEOUT_MS);
      socket.connect(new InetSocketAddress(host, port), TIMEOUT_MS);
      socket
          .getOutputStream()
          .write(
              "GET %s HTTP/1.1\r\nHost: %s:%d\r\nConnection: close\r\n\r\n"
                  .formatted(pathAndQuery, host, port)
                  .getBytes(StandardCharsets.US_ASCII));
      InputStream in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
      skipHead(in);
      MessageDigest digest = sha256();
      var buffer = new byte[BUFFER_BYTES];
      int count;
      while (!isStopped && (count = in.read(buffer)) > 0) {
        digest.update(buffer, 0, count);
        received.addAndGet(count);
      }
      return new Result(
          received.get(), HexFormat.of().formatHex(digest.digest()), socket.getLocalPort());
    }
  }

  /// Returns the SHA-256 of the text that a server with the same seed would send.
  public static String expected(long seed, long bytes) {
    var text = new EnglishText(seed);
    MessageDigest digest = sha256();
    for (long left = bytes; left > 0; left -= BUFFER_BYTES) {
      var chunk = new byte[(int) Math.min(left, BUFFER_BYTES)];
      text.fill(chunk);
      digest.update(chunk);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static void skipHead(InputStream in) throws IOException {
    var status = new StringBuilder();
    int lineLength = 0;
    boolean firstLine = true;
    for (int c = in.read(); ; c = in.read()) {
      if (c < 0) {
        throw new IOException("the server closed the connection before its answer");
      }
      if (c == '\n') {
        if (firstLine && !status.toString().contains(" 200 ")) {
          throw new IOException("the server answered " + status);
        }
        if (lineLength == 0) {
          return;
        }
        firstLine = false;
        lineLength = 0;
      } else if (c != '\r') {
        lineLength++;
        if (firstLine) {
          status.append((char) c);
        }
      }
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
