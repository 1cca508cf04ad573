package io.viaduct.snapt.relay;

import io.viaduct.snapt.PacketText;
import io.viaduct.snapt.TestSnapt;
import io.viaduct.snapt.TestTunnel;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/// The way of a device's datagrams through the session of a neighbour:
///
///     device → LAN socket → packet in the neighbour's tunnel → SNAPT → pool socket → SNAPT
///
/// and back. The neighbour's NAT and the SNAPT's kernel are threads of the test. Addresses of the
/// pool are those of the loopback interface, so that a socket can have one.
final class NeighbourWay implements AutoCloseable {
  private static final String INNER = "10.64.0.2";

  /// Packets that the SNAPT has sent to the Internet.
  final BlockingQueue<byte[]> internet = new LinkedBlockingQueue<>();

  /// Outer bytes between the pool socket and the SNAPT, in both directions.
  final AtomicLong relayedBytes = new AtomicLong();

  private final TestSnapt snapt;
  private final TestTunnel neighbour;
  private final String snaptAddress;
  private final InetAddress poolAddress;
  private final DatagramSocket lan;
  private final DatagramSocket pool;
  private final int natPort;
  private volatile SocketAddress device = new InetSocketAddress(0);

  /// A step of the way, repeated until the way is closed.
  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  /// @param snaptAddress address of the SNAPT in the packets of the neighbour
  /// @param poolAddress public address of the neighbour's session
  NeighbourWay(TestSnapt snapt, TestTunnel neighbour, String snaptAddress, String poolAddress)
      throws IOException {
    this.snapt = snapt;
    this.neighbour = neighbour;
    this.snaptAddress = snaptAddress;
    this.poolAddress = InetAddress.getByName(poolAddress);
    lan = new DatagramSocket(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    pool = new DatagramSocket(new InetSocketAddress(this.poolAddress, 0));
    natPort = pool.getLocalPort();
    repeat(this::upIntoTheTunnel);
    repeat(this::upOutOfTheTunnel);
    repeat(this::downIntoTheTunnel);
    repeat(this::downOutOfTheTunnel);
  }

  /// Returns the address to which the device sends.
  InetSocketAddress lan() {
    return (InetSocketAddress) lan.getLocalSocketAddress();
  }

  private static void repeat(Step step) {
    Thread.ofVirtual()
        .start(() -> {
          try {
            while (true) {
              step.run();
            }
          } catch (IOException | InterruptedException _) {
            // the way is closed
          }
        });
  }

  private static DatagramPacket receive(DatagramSocket from) throws IOException {
    DatagramPacket datagram = new DatagramPacket(new byte[2048], 2048);
    from.receive(datagram);
    return datagram;
  }

  private void upIntoTheTunnel() throws IOException {
    DatagramPacket datagram = receive(lan);
    device = datagram.getSocketAddress();
    send(Arrays.copyOf(datagram.getData(), datagram.getLength()));
  }

  /// Sends a payload as the neighbour's NAT does.
  void send(byte[] payload) {
    int port = snapt.dataAddress.getPort();
    neighbour.send(PacketText.udp(INNER, natPort, snaptAddress, port, payload));
  }

  private void upOutOfTheTunnel() throws IOException, InterruptedException {
    byte[] packet = snapt.out.take();
    byte[] to = Arrays.copyOfRange(packet, 16, 20);
    if (!Arrays.equals(to, PacketText.address(snaptAddress))) {
      internet.add(packet);
      return;
    }
    byte[] payload = Arrays.copyOfRange(packet, 28, packet.length);
    relayedBytes.addAndGet(28 + payload.length);
    pool.send(new DatagramPacket(payload, payload.length, snapt.dataAddress));
  }

  private void downIntoTheTunnel() throws IOException {
    DatagramPacket datagram = receive(pool);
    if (!datagram.getSocketAddress().equals(snapt.dataAddress)) {
      return; // the neighbour's NAT knows no such connection
    }
    relayedBytes.addAndGet(28 + datagram.getLength());
    snapt.inject(
        0,
        PacketText.udp(
            snaptAddress,
            snapt.dataAddress.getPort(),
            poolAddress.getHostAddress(),
            natPort,
            Arrays.copyOf(datagram.getData(), datagram.getLength())));
  }

  private void downOutOfTheTunnel() throws IOException, InterruptedException {
    byte[] packet = neighbour.arrived.take();
    byte[] payload = Arrays.copyOfRange(packet, 28, packet.length);
    lan.send(new DatagramPacket(payload, payload.length, device));
  }

  @Override
  public void close() {
    lan.close();
    pool.close();
  }
}
