package io.viaduct.sip.endpoint;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// A peer that sends any bytes over a real UDP socket and knows nothing of SIP.
final class RawPeer implements AutoCloseable {
  private final DatagramSocket socket;

  RawPeer() throws IOException {
    socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  int port() {
    return socket.getLocalPort();
  }

  void send(String text, int port) throws IOException {
    send(text.getBytes(StandardCharsets.UTF_8), port);
  }

  void send(byte[] bytes, int port) throws IOException {
    socket.send(new DatagramPacket(bytes, bytes.length, InetAddress.getLoopbackAddress(), port));
  }

  Optional<String> receive(int timeoutMs) throws IOException {
    byte[] buffer = new byte[65_536];
    DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
    socket.setSoTimeout(timeoutMs);
    try {
      socket.receive(packet);
    } catch (SocketTimeoutException e) {
      return Optional.empty();
    }
    return Optional.of(
        new String(Arrays.copyOf(buffer, packet.getLength()), StandardCharsets.UTF_8));
  }

  /// Returns a valid OPTIONS of this peer.
  String options(String branch) {
    return """
    OPTIONS sip:server@ims.test SIP/2.0
    Via: SIP/2.0/UDP 127.0.0.1:%d;branch=z9hG4bK%s;rport
    From: <sip:probe@ims.test>;tag=1
    To: <sip:server@ims.test>
    Call-ID: %s@probe
    CSeq: 1 OPTIONS
    Max-Forwards: 70
    Content-Length: 0

    """
        .formatted(port(), branch, branch)
        .replace("\n", "\r\n");
  }

  @Override
  public void close() {
    socket.close();
  }
}
