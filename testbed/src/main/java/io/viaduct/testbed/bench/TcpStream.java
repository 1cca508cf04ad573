package io.viaduct.testbed.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;

/// One TCP connection whose sender is never at a loss for bytes. Both ends are in this process, so
/// what counts is what the reader gets, from when the connection has found its pace.
final class TcpStream {
  private static final int WRITE_BYTES = 64 * 1024;
  private static final int READ_BYTES = 256 * 1024;
  private static final double RAMP_SECONDS = 1;
  private static final int TIMEOUT_MS = 30_000;

  private final Ground ground;
  private final LongSupplier nanoTime;

  /// @param mbitPerSecond behind the ramp
  /// @param bytes all of it
  record Carried(double mbitPerSecond, long bytes) {}

  TcpStream(Ground ground, LongSupplier nanoTime) {
    this.ground = ground;
    this.nanoTime = nanoTime;
  }

  /// @param content sent again and again
  /// @throws IllegalStateException when nothing arrives
  Carried run(String target, Way way, byte[] content, double seconds) {
    try (ServerSocket listener = ground.far().call(() -> new ServerSocket(0))) {
      listener.setSoTimeout(TIMEOUT_MS);
      Callable<Socket> far = listener::accept;
      Callable<Socket> near =
          () -> new Socket(InetAddress.getByName(target), listener.getLocalPort());
      CompletableFuture<Carried> reader;
      CompletableFuture<Void> sender;
      if (way == Way.UP) {
        reader = ground.far().start("reader", () -> read(far, seconds));
        sender = ground.device().start("sender", () -> send(near, content));
      } else {
        sender = ground.far().start("sender", () -> send(far, content));
        reader = ground.device().start("reader", () -> read(near, seconds));
      }
      return sender.thenCombine(reader, (nothing, carried) -> carried).join();
    } catch (IOException | CompletionException e) {
      throw new IllegalStateException("no stream through the tunnel: " + e.getMessage(), e);
    }
  }

  private static Void send(Callable<Socket> connection, byte[] content) throws Exception {
    try (Socket socket = connection.call()) {
      OutputStream out = socket.getOutputStream();
      for (int at = 0; ; at = (at + WRITE_BYTES) % content.length) {
        out.write(content, at, Math.min(WRITE_BYTES, content.length - at));
      }
    } catch (IOException e) {
      return null; // the reader has seen enough and closed
    }
  }

  private Carried read(Callable<Socket> connection, double seconds) throws Exception {
    try (Socket socket = connection.call()) {
      socket.setSoTimeout(TIMEOUT_MS);
      InputStream in = socket.getInputStream();
      long ramp = drain(in, nanoTime.getAsLong() + (long) (RAMP_SECONDS * 1e9));
      long start = nanoTime.getAsLong();
      long bytes = drain(in, start + (long) (seconds * 1e9));
      return new Carried(bytes * 8e3 / (nanoTime.getAsLong() - start), ramp + bytes);
    }
  }

  private long drain(InputStream in, long end) throws IOException {
    var buffer = new byte[READ_BYTES];
    long bytes = 0;
    while (nanoTime.getAsLong() - end < 0) {
      int count = in.read(buffer);
      if (count < 0) {
        throw new EOFException("the sender's end closed");
      }
      bytes += count;
    }
    return bytes;
  }
}
