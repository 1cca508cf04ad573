package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.NetworkNamespace;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.function.LongSupplier;

/// A small UDP packet every two milliseconds until the first comes back.
final class FirstPacket {
  private static final int PORT = 7001;
  private static final int INTERVAL_MS = 2;
  private static final int BYTES = 64;

  private FirstPacket() {}

  /// The far end: returns every packet, as long as the laboratory lives.
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

  /// Nanoseconds until the first reply, −1 without one.
  static long awaitNs(Ground ground, String target, long patienceNs, LongSupplier nanoTime) {
    return ground
        .device()
        .call(() -> {
          long start = nanoTime.getAsLong();
          // Not connected: each packet gets the address of the route that there is by then.
          try (var socket = new DatagramSocket()) {
            socket.setSoTimeout(INTERVAL_MS);
            while (nanoTime.getAsLong() - start < patienceNs) {
              if (echoed(socket, target)) {
                return nanoTime.getAsLong() - start;
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
      // no route yet
    }
    try {
      socket.receive(packet);
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    }
  }
}
