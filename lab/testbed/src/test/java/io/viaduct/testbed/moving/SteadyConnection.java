package io.viaduct.testbed.moving;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// One TCP connection that asks and is answered all the time, and is never made again.
final class SteadyConnection {
  private static final long PAUSE_NS = 20_000_000;

  /// @param exchanges questions that were answered in order
  /// @param gapNs longest time between a question and its answer
  record Result(long exchanges, long gapNs) {}

  private SteadyConnection() {}

  /// Serves one connection until it ends: returns each number.
  static void serve(String address, int port, CountDownLatch listening) throws IOException {
    try (ServerSocket server = new ServerSocket(port, 1, InetAddress.ofLiteral(address))) {
      listening.countDown();
      try (Socket socket = server.accept();
          DataInputStream in = new DataInputStream(socket.getInputStream());
          DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
        socket.setTcpNoDelay(true);
        for (long number = in.readLong(); number >= 0; number = in.readLong()) {
          out.writeLong(number);
        }
      }
    }
  }

  /// Asks until the latch is open.
  ///
  /// @throws IOException if the connection breaks
  static Result ask(String address, int port, CountDownLatch ending, LongSupplier nanoTime)
      throws IOException, InterruptedException {
    try (Socket socket = new Socket(InetAddress.ofLiteral(address), port);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream())) {
      socket.setTcpNoDelay(true);
      long gapNs = 0;
      long number = 0;
      while (!ending.await(PAUSE_NS, TimeUnit.NANOSECONDS)) {
        long askedNs = nanoTime.getAsLong();
        out.writeLong(number);
        if (in.readLong() != number) {
          throw new IOException("another number than " + number + " came back");
        }
        gapNs = Math.max(gapNs, nanoTime.getAsLong() - askedNs);
        number++;
      }
      out.writeLong(-1);
      return new Result(number, gapNs);
    }
  }
}
