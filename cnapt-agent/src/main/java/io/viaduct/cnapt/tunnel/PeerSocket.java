package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.host.udp.DatagramReader;
import io.viaduct.host.udp.SendResult;
import io.viaduct.host.udp.UdpSettings;
import io.viaduct.host.udp.UdpSocket;
import io.viaduct.host.udp.UdpSockets;
import io.viaduct.tunnel.session.DatagramSink;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The socket of one address at which a peer listens. It is bound to the link that has the address,
/// if there is one, so that answers leave by it. Owner: the data path's event loop.
final class PeerSocket implements DatagramReader, DatagramSink, AutoCloseable {
  /// Takes what arrives by the socket.
  interface Receiver {
    void burst(long waitedNs);

    void datagram(PeerSocket by, ByteBuf content, InetSocketAddress from);

    void batchEnd();

    void writable();
  }

  private static final int PEERS_REMEMBERED = 64;

  private final IoEventLoop loop;
  private final InetSocketAddress address;
  private final int mark;
  private final Receiver receiver;
  private UdpSockets sockets;
  private @Nullable UsableLink link;
  private boolean linkGone;
  private @Nullable ByteBuf unsent;
  private @Nullable InetSocketAddress unsentTo;
  private int unsentSegment;
  private int tooLong;
  private long refusals;
  private long dropped;

  /// Opens the socket; the kernel routes its answers until [#links] names its link.
  ///
  /// @param address with port 0 the kernel chooses the port
  /// @param mark SO_MARK of the socket; 0 for none
  /// @throws SocketException if the address cannot be bound
  PeerSocket(IoEventLoop loop, InetSocketAddress address, int mark, Receiver receiver)
      throws SocketException {
    this.loop = loop;
    this.mark = mark;
    this.receiver = receiver;
    this.sockets = open(address, null);
    this.address = new InetSocketAddress(address.getAddress(), sockets.address().getPort());
  }

  private UdpSockets open(InetSocketAddress at, @Nullable UsableLink by) throws SocketException {
    UdpSettings settings = UdpSettings.at(at).marked(mark).remembering(PEERS_REMEMBERED);
    return UdpSockets.bind(
        List.of(loop), by == null ? settings : settings.onDevice(by.name()), _ -> this);
  }

  /// Returns the address with its port.
  InetSocketAddress address() {
    return address;
  }

  /// Takes the links that can be used now.
  ///
  /// @throws SocketException if the socket cannot be bound to its link
  void links(List<UsableLink> now) throws SocketException {
    UsableLink holding =
        now.stream()
            .filter(each -> each.sources().contains(address.getAddress()))
            .findFirst()
            .orElse(null);
    linkGone = holding == null && link != null;
    if (holding == null) {
      return; // the socket waits for its link, which mostly comes back with the same number
    }
    UsableLink before = link;
    link = holding;
    if (before == null
        || before.index() != holding.index()
        || !before.name().equals(holding.name())) {
      sockets.close();
      sockets = open(address, holding);
    }
  }

  /// Returns whether the link that had the address has gone.
  boolean isLinkGone() {
    return linkGone;
  }

  /// Returns the name of the link, `any` if the kernel chooses it.
  String linkName() {
    return link == null ? "any" : link.name();
  }

  @Nullable UsableLink link() {
    return link;
  }

  private UdpSocket socket() {
    return sockets.sockets().getFirst();
  }

  @Override
  public boolean isWritable() {
    return unsent == null && socket().isWritable();
  }

  @Override
  public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
    if (to == null || unsent != null) {
      dropped++; // an answer for an address whose socket is full; the other end repeats its
      // question
      burst.release();
      return;
    }
    SendResult result = socket().send(burst, segmentSize, to);
    if (result == SendResult.WOULD_BLOCK) {
      unsent = burst;
      unsentTo = to;
      unsentSegment = segmentSize;
      return;
    }
    if (result == SendResult.TOO_LONG) {
      tooLong = segmentSize;
    } else if (result == SendResult.REFUSED) {
      refusals++;
    }
    burst.release();
  }

  @Override
  public int takeTooLong() {
    int bytes = tooLong;
    tooLong = 0;
    return bytes;
  }

  @Override
  public void burst(long waitedNs) {
    receiver.burst(waitedNs);
  }

  @Override
  public void datagram(ByteBuf content, InetSocketAddress from) {
    receiver.datagram(this, content, from);
  }

  @Override
  public void batchEnd() {
    receiver.batchEnd();
  }

  @Override
  public void writable() {
    receiver.writable();
  }

  /// Sends the burst that waits for the kernel's buffer.
  void sendWaiting(long nowNs) {
    ByteBuf burst = unsent;
    InetSocketAddress to = unsentTo;
    if (burst != null && socket().isWritable()) {
      unsent = null;
      send(burst, unsentSegment, to, nowNs);
    }
  }

  /// Drops the burst that waits, because its session has ended.
  void giveUp() {
    if (unsent != null) {
      dropped++;
      unsent.release();
      unsent = null;
    }
  }

  /// Returns the number of bursts that the kernel refused.
  long refusals() {
    return refusals;
  }

  /// Returns the number of bursts that were dropped here.
  long dropped() {
    return dropped;
  }

  @Override
  public void close() {
    giveUp();
    sockets.close();
  }
}
