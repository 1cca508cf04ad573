package io.viaduct.testbed.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/// An end of a UDP stream. The far end sends to the source of the first packet, and never to
/// another one: a stream whose inner address or port changes is broken.
final class UdpEnd implements StreamEnd {
  private static final int RECEIVE_BYTES = 4 << 20;

  private final DatagramSocket socket;
  private final DatagramPacket out = new DatagramPacket(new byte[BYTES], BYTES);
  private final DatagramPacket in = new DatagramPacket(new byte[BYTES], BYTES);
  private volatile @Nullable SocketAddress to;

  private UdpEnd(InetSocketAddress own, @Nullable SocketAddress to) throws IOException {
    socket = new DatagramSocket(null);
    socket.setReceiveBufferSize(RECEIVE_BYTES);
    socket.bind(own);
    socket.setSoTimeout(PATIENCE_MS);
    this.to = to;
  }

  /// Opens the end in the calling thread's namespace.
  static UdpEnd near(InetSocketAddress to) throws IOException {
    return new UdpEnd(new InetSocketAddress(0), to);
  }

  /// Opens the end in the calling thread's namespace.
  ///
  /// @param own address that the device sends to
  static UdpEnd far(InetSocketAddress own) throws IOException {
    return new UdpEnd(own, null);
  }

  @Override
  public boolean isReady() {
    return to != null;
  }

  @Override
  public void send(byte[] message) {
    out.setData(message);
    out.setSocketAddress(to);
    try {
      socket.send(out);
    } catch (IOException e) {
      // There is no route now, or a queue is full: the packet is lost.
    }
  }

  @Override
  public boolean receive(byte[] message) {
    in.setData(message);
    try {
      socket.receive(in);
    } catch (IOException e) {
      return false; // silence, or the ICMP error of an earlier packet
    }
    if (in.getLength() != BYTES) {
      throw new UncheckedIOException(
          new IOException("a packet of %d bytes in the stream".formatted(in.getLength())));
    }
    if (to == null) {
      to = in.getSocketAddress();
    }
    return true;
  }

  @Override
  public void close() {
    socket.close();
  }
}
