package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.function.LongSupplier;

/// Sends a small UDP packet every two milliseconds until the first one returns.
final class FirstPacket {
  private static final int PORT = 7001;
  private static final int INTERVAL_MS = 2;
  private static final int BYTES = 64;

  private FirstPacket() {}

  /// Starts the far end, which returns every packet as long as the laboratory runs.
  static void startEcho(NetworkNamespace far) {
    var unused =
        far.start(
            "echo",
            () -> {
              try (var socket = new DatagramSocket(PORT)) {
                var packet = new DatagramPacket(new byte[2048], 2048);
                while (true) {
                  packet.setLength(2048);
                  socket.receive(packet);
                  socket.send(packet);
                }
              }
            });
  }

  /// Returns the nanoseconds until the first reply, or −1 without a reply.
  static long awaitNs(BenchNetwork network, String target, long patienceNs, LongSupplier nanoTime) {
    return network
        .device()
        .call(() -> {
          long startNs = nanoTime.getAsLong();
          // The socket is not connected, so each packet gets the source address of the current
          // route.
          try (var socket = new DatagramSocket()) {
            socket.setSoTimeout(INTERVAL_MS);
            while (nanoTime.getAsLong() - startNs < patienceNs) {
              if (echoed(socket, target)) {
                return nanoTime.getAsLong() - startNs;
              }
            }
          }
          return -1L;
        });
  }

  private static boolean echoed(DatagramSocket socket, String target) throws IOException {
    var packet = new DatagramPacket(new byte[BYTES], BYTES, new InetSocketAddress(target, PORT));
    try {
      socket.send(packet);
    } catch (IOException e) {
      // There is no route yet.
    }
    try {
      socket.receive(packet);
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    }
  }
}
