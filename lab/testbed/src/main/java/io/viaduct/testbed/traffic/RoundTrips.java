package io.viaduct.testbed.traffic;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/// An interactive session on one TCP connection: the bytes of a key stroke, their echo, a pause.
public final class RoundTrips implements AutoCloseable {
  private static final int BYTES = 48; // a key stroke in an SSH packet
  private static final long PAUSE_NS = 10_000_000;
  private static final int TIMEOUT_MS = 60_000;

  private final Socket socket = new Socket();
  private final LongSupplier nanoTime;

  public RoundTrips(InetSocketAddress to, LongSupplier nanoTime) throws IOException {
    this.nanoTime = nanoTime;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MS);
    socket.connect(to, TIMEOUT_MS);
  }

  /// Serves the far end: echoes every connection until the process ends.
  public static void echo(String address, int port) throws IOException {
    try (var listener = new ServerSocket()) {
      listener.setReuseAddress(true);
      listener.bind(new InetSocketAddress(address, port));
      while (true) {
        Socket connection = listener.accept();
        connection.setTcpNoDelay(true);
        Thread.ofVirtual().start(() -> echo(connection));
      }
    }
  }

  private static void echo(Socket connection) {
    try (connection) {
      connection.getInputStream().transferTo(connection.getOutputStream());
    } catch (IOException e) {
      // The client has gone.
    }
  }

  /// Returns the round trips in microseconds, measured while `going` is true.
  public Histogram run(BooleanSupplier going) throws IOException {
    var histogram = new Histogram(3);
    var in = new DataInputStream(socket.getInputStream());
    var stroke = new byte[BYTES];
    while (going.getAsBoolean()) {
      long startNs = nanoTime.getAsLong();
      socket.getOutputStream().write(stroke);
      in.readFully(stroke);
      histogram.recordValue((nanoTime.getAsLong() - startNs) / 1000);
      LockSupport.parkNanos(PAUSE_NS);
    }
    return histogram;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
