package io.viaduct.snapt.group;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A port that leads to another one, which is known later. The test may break its connections, or
/// lose what comes back.
final class Detour implements AutoCloseable {
  private static final int BYTES = 1 << 14;

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile int to;
  private volatile boolean losesAnswers;

  Detour() throws IOException {
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  void leadTo(int port) {
    to = port;
  }

  /// Loses all bytes that come back, until [#cut].
  void loseAnswers() {
    losesAnswers = true;
  }

  /// Breaks the open connections. Later ones work.
  void cut() throws IOException {
    for (Socket each : open) {
      each.close();
    }
    losesAnswers = false;
  }

  private void accept() {
    try {
      while (true) {
        Socket from = listener.accept();
        Thread.ofVirtual().start(() -> lead(from));
      }
    } catch (IOException _) {
      // the test is over
    }
  }

  private void lead(Socket from) {
    try (from;
        Socket onward = new Socket(InetAddress.getLoopbackAddress(), to)) {
      open.add(from);
      open.add(onward);
      Thread back = Thread.ofVirtual().start(() -> pump(onward, from, true));
      pump(from, onward, false);
      back.join();
    } catch (IOException | InterruptedException _) {
      // an end has closed
    }
  }

  private void pump(Socket from, Socket onward, boolean isBack) {
    byte[] bytes = new byte[BYTES];
    try (from;
        onward) {
      for (int count = from.getInputStream().read(bytes);
          count >= 0;
          count = from.getInputStream().read(bytes)) {
        if (!isBack || !losesAnswers) {
          onward.getOutputStream().write(bytes, 0, count);
        }
      }
    } catch (IOException _) {
      // an end has closed
    } finally {
      open.remove(from);
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    cut();
  }
}
