package io.viaduct.testbed.traffic;

import io.viaduct.testbed.traffic.Connections.Connection;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/// Exchanges requests and responses of the same size in sequence on one TCP connection.
public final class Exchanges {
  /// The largest request, in bytes.
  public static final int LARGEST = 1_000_000;

  /// Sizes in bytes, from a key stroke to a picture.
  public static final List<Integer> SIZES = List.of(1, 100, 1_000, 100_000, LARGEST);

  private static final int SMALL_MAX = 1_000;
  private static final int WARM_UP = 200;
  private static final int WARM_UP_LARGE = 10;
  private static final int EXCHANGES_MIN = 20;

  private Exchanges() {}

  /// Serves the far end: one connection at a time until the process ends.
  public static void serve(ServerSocketChannel listener) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(LARGEST);
    while (true) {
      try (SocketChannel channel = listener.accept()) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        read(channel, buffer.clear().limit(Integer.BYTES));
        buffer.limit(buffer.getInt(0));
        while (true) {
          read(channel, buffer.rewind());
          write(channel, buffer.rewind());
        }
      } catch (IOException e) {
        // The device has closed: serve the next one.
      }
    }
  }

  /// Sends requests and measures the time until each response.
  ///
  /// @param content of each request, at most [#LARGEST] bytes
  /// @return the times in nanoseconds, without the first exchanges
  public static Histogram run(
      InetSocketAddress to, byte[] content, double seconds, LongSupplier nanoTime)
      throws IOException {
    var times = new Histogram(3);
    ByteBuffer buffer = ByteBuffer.allocateDirect(Math.max(Integer.BYTES, content.length));
    try (var channel = SocketChannel.open(to)) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      write(channel, buffer.putInt(content.length).flip());
      buffer.clear().put(content).clear().limit(content.length);
      long endNs = nanoTime.getAsLong() + (long) (seconds * 1e9);
      int warmUp = content.length > SMALL_MAX ? WARM_UP_LARGE : WARM_UP;
      for (int i = -warmUp; i < EXCHANGES_MIN || nanoTime.getAsLong() - endNs < 0; i++) {
        long startNs = nanoTime.getAsLong();
        write(channel, buffer.rewind());
        read(channel, buffer.rewind());
        if (i >= 0) {
          times.recordValue(nanoTime.getAsLong() - startNs);
        }
      }
    }
    return times;
  }

  /// Serves one connection until its other end closes it.
  public static void serve(Connection from) throws IOException {
    InputStream in = from.in();
    byte[] length = in.readNBytes(Integer.BYTES);
    if (length.length < Integer.BYTES) {
      return;
    }
    byte[] content = new byte[ByteBuffer.wrap(length).getInt()];
    while (in.readNBytes(content, 0, content.length) == content.length) {
      from.out().write(content);
    }
  }

  /// Sends requests on a connection of any kind, whose other end [#serve(Connection)] serves. Each
  /// waits for the response before it, so no end holds a small segment back.
  ///
  /// @return as [#run(InetSocketAddress, byte[], double, LongSupplier)]
  public static Histogram run(Connection to, byte[] content, double seconds, LongSupplier nanoTime)
      throws IOException {
    var times = new Histogram(3);
    byte[] answer = new byte[content.length];
    to.out().write(ByteBuffer.allocate(Integer.BYTES).putInt(content.length).array());
    long endNs = nanoTime.getAsLong() + (long) (seconds * 1e9);
    int warmUp = content.length > SMALL_MAX ? WARM_UP_LARGE : WARM_UP;
    for (int i = -warmUp; i < EXCHANGES_MIN || nanoTime.getAsLong() - endNs < 0; i++) {
      long startNs = nanoTime.getAsLong();
      to.out().write(content);
      if (to.in().readNBytes(answer, 0, answer.length) < answer.length) {
        throw new EOFException("the far end closed the connection");
      }
      if (i >= 0) {
        times.recordValue(nanoTime.getAsLong() - startNs);
      }
    }
    return times;
  }

  private static void write(SocketChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      int ignored = channel.write(bytes);
    }
  }

  private static void read(SocketChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (channel.read(bytes) < 0) {
        throw new EOFException();
      }
    }
  }
}
