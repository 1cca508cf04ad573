package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.Goal.OfDirect;
import io.viaduct.testbed.traffic.EnglishText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.function.LongSupplier;

/// Measures text that never repeats, over TCP through a line of 10 Mbit/s each way.
final class ConstrainedText implements Measure {
  private static final int PORT = 7005;
  private static final String RATE = "10mbit";
  private static final int BYTES_PER_SECOND = 1_250_000;
  private static final int TIMEOUT_MS = 60_000;
  private static final Row GOODPUT =
      Row.more("text-10mbit", "text over 10 Mbit/s", "Mbit/s", 2, new OfDirect(2.2));

  private final BenchNetwork network;
  private final int bytes;
  private final LongSupplier nanoTime;
  private long seed;

  /// Starts the far end.
  ///
  /// @param seconds duration of the transfer on the direct path
  ConstrainedText(BenchNetwork network, int seconds, LongSupplier nanoTime) {
    this.network = network;
    this.bytes = seconds * BYTES_PER_SECOND;
    this.nanoTime = nanoTime;
    network
        .far()
        .call(() -> {
          var listener = new ServerSocket(PORT);
          Thread.ofPlatform().daemon().name("reader").start(() -> serve(listener));
          return true;
        });
  }

  @Override
  public String name() {
    return "text";
  }

  @Override
  public List<Row> rows() {
    return List.of(GOODPUT);
  }

  @Override
  public void run(Peer peer, Recorder recorder) {
    var text = new byte[bytes];
    new EnglishText(++seed).fill(text);
    network.superpackets(false);
    network.shape(RATE);
    try {
      double seconds = network.device().call(() -> send(peer.target(), text));
      recorder.record(GOODPUT, bytes * 8 / seconds / 1e6);
    } finally {
      network.unshape();
      network.superpackets(true);
    }
  }

  private double send(String target, byte[] text) {
    long startNs = nanoTime.getAsLong();
    try (var socket = new Socket()) {
      socket.setSoTimeout(TIMEOUT_MS);
      socket.connect(new InetSocketAddress(target, PORT), TIMEOUT_MS);
      socket.getOutputStream().write(text);
      socket.shutdownOutput();
      if (socket.getInputStream().read() < 0) {
        throw new IllegalStateException("the far end closed before it had everything");
      }
      return (nanoTime.getAsLong() - startNs) / 1e9;
    } catch (IOException e) {
      throw new IllegalStateException("the text did not arrive: " + e.getMessage(), e);
    }
  }

  private static void serve(ServerSocket listener) {
    var buffer = new byte[64 * 1024];
    while (true) {
      try (Socket socket = listener.accept()) {
        int read;
        do {
          read = socket.getInputStream().read(buffer);
        } while (read >= 0);
        socket.getOutputStream().write(1);
      } catch (IOException e) {
        // The device gave up: serve the next one.
      }
    }
  }
}
