package io.viaduct.testbed.traffic;

import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.traffic.Connections.Connection;
import io.viaduct.testbed.traffic.Connections.Listener;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// One TCP connection whose sender always has bytes to send. Both ends are in this process, so the
/// reader's bytes are counted, beginning after the ramp-up.
public final class TcpStream {
  private static final int WRITE_BYTES = 64 * 1024;
  private static final int READ_BYTES = 256 * 1024;
  private static final double RAMP_SECONDS = 1;

  private final NetworkNamespace device;
  private final NetworkNamespace far;
  private final LongSupplier nanoTime;
  private final Connections connections;

  /// Result at the reader.
  ///
  /// @param mbitPerSecond rate after the ramp-up
  /// @param bytes all bytes
  public record Carried(double mbitPerSecond, long bytes) {}

  /// Makes a stream between two namespaces.
  ///
  /// @param device opens connections
  /// @param far accepts them
  public TcpStream(NetworkNamespace device, NetworkNamespace far, LongSupplier nanoTime) {
    this(device, far, nanoTime, Connections.TCP);
  }

  /// Makes a stream by another means than plain TCP.
  public TcpStream(
      NetworkNamespace device,
      NetworkNamespace far,
      LongSupplier nanoTime,
      Connections connections) {
    this.device = device;
    this.far = far;
    this.nanoTime = nanoTime;
    this.connections = connections;
  }

  /// Runs one connection.
  ///
  /// @param target the far end's address
  /// @param content sent repeatedly
  /// @param seconds after the ramp-up
  /// @throws IllegalStateException when no bytes arrive
  public Carried run(String target, Way way, byte[] content, double seconds) {
    return run(target, 0, way, content, seconds);
  }

  /// Runs one connection to a port, which may determine its class.
  ///
  /// @param port 0 for any
  public Carried run(String target, int port, Way way, byte[] content, double seconds) {
    try (Listener listener = far.call(() -> connections.listen(port))) {
      Callable<Connection> accepted = listener::accept;
      Callable<Connection> made =
          () -> connections.connect(Connections.address(target, listener.port()));
      CompletableFuture<Carried> reader;
      CompletableFuture<Void> sender;
      if (way == Way.UP) {
        reader = far.start("reader", () -> read(accepted, seconds));
        sender = device.start("sender", () -> send(made, content));
      } else {
        sender = far.start("sender", () -> send(accepted, content));
        reader = device.start("reader", () -> read(made, seconds));
      }
      return sender
          .thenCombine(reader, (nothing, carried) -> carried)
          .orTimeout(
              (long) (RAMP_SECONDS + seconds) * 1_000 + 2 * Connections.TIMEOUT_MS,
              TimeUnit.MILLISECONDS)
          .join();
    } catch (IOException | CompletionException e) {
      throw new IllegalStateException("no stream through the tunnel: " + e.getMessage(), e);
    }
  }

  private static Void send(Callable<Connection> connection, byte[] content) throws Exception {
    try (Connection open = connection.call()) {
      OutputStream out = open.out();
      for (int at = 0; ; at = (at + WRITE_BYTES) % content.length) {
        out.write(content, at, Math.min(WRITE_BYTES, content.length - at));
      }
    } catch (IOException e) {
      return null; // the reader has enough and closed
    }
  }

  private Carried read(Callable<Connection> connection, double seconds) throws Exception {
    try (Connection open = connection.call()) {
      InputStream in = open.in();
      long ramp = drain(in, nanoTime.getAsLong() + (long) (RAMP_SECONDS * 1e9));
      long startNs = nanoTime.getAsLong();
      long bytes = drain(in, startNs + (long) (seconds * 1e9));
      return new Carried(bytes * 8e3 / (nanoTime.getAsLong() - startNs), ramp + bytes);
    }
  }

  private long drain(InputStream in, long endNs) throws IOException {
    var buffer = new byte[READ_BYTES];
    long bytes = 0;
    while (nanoTime.getAsLong() - endNs < 0) {
      int count = in.read(buffer);
      if (count < 0) {
        throw new EOFException("the sender's end closed");
      }
      bytes += count;
    }
    return bytes;
  }
}
