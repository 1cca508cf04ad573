package io.viaduct.testbed.moving;

import io.viaduct.testbed.topology.Topology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/// One TCP connection of a class of low delay through the tunnel, with a byte there and back every
/// 20 ms until it is told to rest.
final class HeldConnection implements AutoCloseable {
  /// Port of the server, which is that of SSH.
  static final int PORT = 22;

  private static final long PAUSE_NS = 20_000_000;
  private static final int PATIENCE_MS = 50_000;

  private final Socket socket;
  private final AtomicBoolean going = new AtomicBoolean(true);
  private final AtomicLong exchanged = new AtomicLong();
  private final CompletableFuture<Boolean> traffic;

  private HeldConnection(Socket socket) {
    this.socket = socket;
    traffic = CompletableFuture.supplyAsync(this::exchange);
  }

  /// Opens the connection, and begins its traffic.
  static HeldConnection open(MovingLab lab) throws Exception {
    CountDownLatch listening = new CountDownLatch(1);
    var unused =
        lab.network.server.start(
            "echo",
            () -> {
              try (ServerSocket server =
                  new ServerSocket(PORT, 1, InetAddress.ofLiteral(Topology.SERVER))) {
                listening.countDown();
                Socket accepted = server.accept();
                accepted.getInputStream().transferTo(accepted.getOutputStream());
              }
              return true;
            });
    listening.await();
    Socket made =
        lab.network.device.call(() -> new Socket(InetAddress.ofLiteral(Topology.SERVER), PORT));
    made.setSoTimeout(PATIENCE_MS);
    return new HeldConnection(made);
  }

  private boolean exchange() {
    try {
      while (going.get()) {
        socket.getOutputStream().write(7);
        if (socket.getInputStream().read() != 7) {
          return false;
        }
        exchanged.incrementAndGet();
        LockSupport.parkNanos(PAUSE_NS);
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Waits for more traffic.
  void awaitTraffic(int exchanges) throws Exception {
    long before = exchanged.get();
    MovingLab.await(() -> exchanged.get() > before + exchanges, "the connection has traffic");
  }

  /// Ends the traffic, not the connection.
  ///
  /// @return true if each byte came back
  boolean rest() throws Exception {
    going.set(false);
    return traffic.get(60, TimeUnit.SECONDS);
  }

  /// Waits without traffic, and returns how the connection ends.
  String awaitEnd() {
    try {
      return "an answer: " + socket.getInputStream().read();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Override
  public void close() throws IOException {
    going.set(false);
    socket.close();
  }
}
