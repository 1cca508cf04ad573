package io.viaduct.snapt;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// One UDP socket of a [LabDevice] that stays open, and counts what comes, by its source.
final class LabTelephone {
  /// Bytes of a datagram, as RTP with 20 ms of G.711.
  static final int BYTES = 172;

  private static final long PAUSE_NS = 2_000_000;

  private @Nullable DatagramSocket socket;
  private final Map<String, Integer> heard = new TreeMap<>(); // guarded by itself

  /// Opens it.
  ///
  /// @param server which tells its public address, as STUN does
  /// @return public address and port
  String open(int port, String server) throws IOException {
    DatagramSocket opened = new DatagramSocket(port);
    opened.setSoTimeout(5_000);
    opened.send(new DatagramPacket(new byte[1], 1, new InetSocketAddress(server, 9001)));
    DatagramPacket answer = new DatagramPacket(new byte[99], 99);
    opened.receive(answer);
    opened.setSoTimeout(0);
    socket = opened;
    Thread.ofPlatform().daemon().start(() -> listen(opened));
    return new String(answer.getData(), 0, answer.getLength(), StandardCharsets.US_ASCII);
  }

  private void listen(DatagramSocket from) {
    try {
      while (true) {
        DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
        from.receive(packet);
        synchronized (heard) {
          heard.merge(
              packet.getAddress().getHostAddress() + " " + packet.getPort(), 1, (a, b) -> a + b);
        }
      }
    } catch (IOException _) {
      // the device ends
    }
  }

  /// Sends datagrams, one in two milliseconds.
  String say(String host, int port, String count) throws IOException {
    DatagramSocket opened = socket;
    if (opened == null) {
      return "not open";
    }
    InetSocketAddress to = new InetSocketAddress(InetAddress.getByName(host), port);
    for (int i = Integer.parseInt(count); i > 0; i--) {
      opened.send(new DatagramPacket(new byte[BYTES], BYTES, to));
      LockSupport.parkNanos(PAUSE_NS);
    }
    return "said";
  }

  /// Returns the number of datagrams by their source: `{198.51.100.1 7000=3}`.
  String heard() {
    synchronized (heard) {
      return heard.toString();
    }
  }
}
