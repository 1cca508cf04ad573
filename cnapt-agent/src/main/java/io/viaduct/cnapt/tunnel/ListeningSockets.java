package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.PathSinks;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// The sockets of a peer that listens, one at each of its addresses. A datagram leaves by the
/// socket at which its receiver is heard ([ReturnWays]). Owner: the data path's event loop.
final class ListeningSockets implements PathSinks, AutoCloseable {
  private final List<PeerSocket> sockets = new ArrayList<>();
  private final ReturnWays ways = new ReturnWays();
  private final ToAddress[] sinks = new ToAddress[TunnelLimits.PATHS_MAX];
  private final IntFunction<@Nullable InetSocketAddress> bindings;
  private volatile long misled; // written by the event loop

  /// Opens a socket at each address.
  ///
  /// @param mark SO_MARK of the sockets; 0 for none
  /// @param addresses at least one; all have the port of the first one
  /// @param bindings returns the other end's address of a path, null while the path has none
  /// @throws SocketException if an address cannot be bound; the message says what to do
  ListeningSockets(
      IoEventLoop loop,
      int mark,
      List<InetSocketAddress> addresses,
      PeerSocket.Receiver receiver,
      IntFunction<@Nullable InetSocketAddress> bindings)
      throws SocketException {
    this.bindings = bindings;
    for (int path = 0; path < sinks.length; path++) {
      sinks[path] = new ToAddress(path);
    }
    boolean complete = false;
    try {
      for (InetSocketAddress each : addresses) {
        int port = sockets.isEmpty() ? each.getPort() : port();
        sockets.add(
            new PeerSocket(loop, new InetSocketAddress(each.getAddress(), port), mark, receiver));
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /// Returns the port of all addresses.
  int port() {
    return sockets.getFirst().address().getPort();
  }

  /// Forgets where the other end was heard, because another session has begun.
  void begin() {
    ways.clear();
  }

  /// Takes the links that can be used now.
  ///
  /// @param lost called with an address that cannot be used, and the reason
  void links(List<UsableLink> now, BiConsumer<String, @Nullable String> lost) {
    for (PeerSocket each : sockets) {
      try {
        each.links(now);
      } catch (SocketException e) {
        lost.accept(each.address().getAddress().getHostAddress(), e.getMessage());
      }
    }
  }

  // --- where the other end is heard

  /// Returns whether a datagram from an address may come by this socket; counts one that may not.
  boolean isAllowed(InetSocketAddress from, PeerSocket by, long nowNs) {
    boolean allowed = ways.isAllowed(from, by, nowNs);
    if (!allowed) {
      misled++;
    }
    return allowed;
  }

  /// Records an authentic datagram that was not replayed.
  void heard(InetSocketAddress from, PeerSocket by, long nowNs) {
    ways.heard(from, by, nowNs);
  }

  /// Returns the socket by which an address is heard; null for an unknown address.
  @Nullable PeerSocket socketOf(@Nullable InetSocketAddress to) {
    return ways.socketOf(to);
  }

  /// Returns the socket of a path; the first one while the path has none.
  PeerSocket socketOf(int path) {
    PeerSocket socket = ways.socketOf(bindings.apply(path));
    return socket == null ? sockets.getFirst() : socket;
  }

  // --- what leaves

  @Override
  public DatagramSink of(int path) {
    return sinks[path];
  }

  private final class ToAddress implements DatagramSink {
    private final int path;

    ToAddress(int path) {
      this.path = path;
    }

    @Override
    public boolean isWritable() {
      return socketOf(path).isWritable();
    }

    @Override
    public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
      PeerSocket by = ways.socketOf(to);
      (by == null ? socketOf(path) : by).send(burst, segmentSize, to, nowNs);
    }

    @Override
    public int takeTooLong() {
      return socketOf(path).takeTooLong();
    }
  }

  /// Sends the bursts that wait for the kernel's buffers.
  void sendWaiting(long nowNs) {
    for (int i = 0; i < sockets.size(); i++) {
      sockets.get(i).sendWaiting(nowNs);
    }
  }

  /// Drops the bursts that wait, because their session has ended.
  void giveUp() {
    sockets.forEach(PeerSocket::giveUp);
  }

  /// Returns the number of bursts that were dropped.
  long dropped() {
    return sockets.stream().mapToLong(PeerSocket::dropped).sum();
  }

  /// Returns the number of bursts that the kernel refused.
  long refusals() {
    return sockets.stream().mapToLong(PeerSocket::refusals).sum();
  }

  /// Returns the number of datagrams that [#isAllowed] has not allowed. Any thread may call this.
  long misled() {
    return misled;
  }

  @Override
  public void close() {
    sockets.forEach(PeerSocket::close);
    sockets.clear();
  }
}
