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

/// An interactive session: a key stroke's worth of bytes, its echo, a pause; on one TCP connection.
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

  /// The far end: echoes every connection until the process ends.
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
      // the client went away
    }
  }

  /// Round trips in microseconds, for as long as `going`.
  public Histogram run(BooleanSupplier going) throws IOException {
    var histogram = new Histogram(3);
    var in = new DataInputStream(socket.getInputStream());
    var stroke = new byte[BYTES];
    while (going.getAsBoolean()) {
      long start = nanoTime.getAsLong();
      socket.getOutputStream().write(stroke);
      in.readFully(stroke);
      histogram.recordValue((nanoTime.getAsLong() - start) / 1000);
      LockSupport.parkNanos(PAUSE_NS);
    }
    return histogram;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
