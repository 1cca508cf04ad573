package io.viaduct.testbed.moving;

import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.traffic.Connections;
import io.viaduct.testbed.traffic.Connections.Connection;
import io.viaduct.testbed.traffic.Connections.Listener;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// One TCP connection from the server to the device whose sender always has bytes to send, as that
/// of iperf3, until it is stopped.
final class BulkFlow {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final long SEED = 20_261_127;

  private final AtomicBoolean going = new AtomicBoolean(true);
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong longestNs = new AtomicLong();
  private final CompletableFuture<Void> sender;
  private final CompletableFuture<Void> reader;
  private long takenBytes;
  private long takenNs = System.nanoTime();

  private BulkFlow(NetworkNamespace device, NetworkNamespace server, String address)
      throws IOException {
    Listener listener = server.call(() -> Connections.TCP.listen(0));
    var target = Connections.address(address, listener.port());
    sender = server.start("bulk-sender", () -> send(listener));
    reader = device.start("bulk-reader", () -> read(Connections.TCP.connect(target)));
  }

  /// Opens the connection, and waits until it carries.
  ///
  /// @param address of the server
  static BulkFlow start(MovingLab lab, String address) throws Exception {
    BulkFlow flow = new BulkFlow(lab.network.device, lab.network.server, address);
    MovingLab.await(() -> flow.bytes.get() > BUFFER_BYTES, "the bulk flow carries");
    return flow;
  }

  private Void send(Listener listener) throws Exception {
    byte[] content = new byte[BUFFER_BYTES]; // random, so that nothing is compressed
    new Random(SEED).nextBytes(content);
    try (listener;
        Connection open = listener.accept()) {
      OutputStream out = open.out();
      while (going.get()) {
        out.write(content);
      }
    }
    return null;
  }

  private Void read(Connection made) throws Exception {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (Connection open = made) {
      InputStream in = open.in();
      long lastNs = System.nanoTime();
      while (true) {
        int count = in.read(buffer);
        if (count < 0) {
          if (going.get()) {
            throw new EOFException("the server has closed the bulk flow");
          }
          return null;
        }
        long nowNs = System.nanoTime();
        long silentNs = nowNs - lastNs;
        lastNs = nowNs;
        longestNs.accumulateAndGet(silentNs, Math::max);
        bytes.addAndGet(count);
      }
    } catch (IOException e) {
      System.out.println("the bulk flow broke: " + e);
      throw e;
    }
  }

  /// Returns the mean rate at the device since the start or the last call.
  double takeMbitPerSecond() {
    long nowNs = System.nanoTime();
    long now = bytes.get();
    double rate = (now - takenBytes) * 8e3 / (nowNs - takenNs);
    takenBytes = now;
    takenNs = nowNs;
    return rate;
  }

  /// Returns the longest time in which the device has received nothing.
  double longestMs() {
    return longestNs.get() / 1e6;
  }

  /// Returns whether the connection was reset, or has ended.
  boolean isBroken() {
    return reader.isDone() || sender.isDone();
  }

  /// Ends the connection.
  void stop() throws Exception {
    boolean wasBroken = isBroken();
    going.set(false);
    if (!wasBroken) {
      sender.thenCombine(reader, (_, _) -> true).get(30, TimeUnit.SECONDS);
    }
  }
}
