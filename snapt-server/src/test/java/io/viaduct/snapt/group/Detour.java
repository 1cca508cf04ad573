package io.viaduct.snapt.group;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/// A port that leads to another one, which is known later.
final class Detour implements AutoCloseable {
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private volatile int to;

  Detour() throws IOException {
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  void leadTo(int port) {
    to = port;
  }

  private void accept() {
    try {
      while (true) {
        Socket from = listener.accept();
        Socket onward = new Socket(InetAddress.getLoopbackAddress(), to);
        Thread.ofVirtual().start(() -> pump(from, onward));
        Thread.ofVirtual().start(() -> pump(onward, from));
      }
    } catch (IOException _) {
      // the test is over
    }
  }

  private static void pump(Socket from, Socket onward) {
    try (from;
        onward) {
      from.getInputStream().transferTo(onward.getOutputStream());
    } catch (IOException _) {
      // an end has closed
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
