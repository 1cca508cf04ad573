package io.viaduct.radius;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;

/// A plain UDP socket on a loopback address: the other end of a client or a server.
public final class RawSocket implements AutoCloseable {
  private static final int WAIT_MS = 10_000;

  private final DatagramSocket socket;

  /// A datagram.
  public record Datagram(SocketAddress sender, byte[] octets) {}

  public RawSocket(String address) throws IOException {
    socket = new DatagramSocket(new InetSocketAddress(InetAddress.getByName(address), 0));
    socket.setSoTimeout(WAIT_MS);
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  public void send(SocketAddress to, byte[] octets) throws IOException {
    socket.send(new DatagramPacket(octets, octets.length, to));
  }

  public Datagram receive() throws IOException {
    DatagramPacket packet = new DatagramPacket(new byte[5000], 5000);
    socket.receive(packet);
    return new Datagram(
        packet.getSocketAddress(), Arrays.copyOf(packet.getData(), packet.getLength()));
  }

  @Override
  public void close() {
    socket.close();
  }
}
