package io.viaduct.sip.transport;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.viaduct.sip.guard.Refusal;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The open TCP connections by peer. Written by the event loop, read by all.
final class TcpConnections {
  private final Map<InetSocketAddress, Channel> byPeer = new ConcurrentHashMap<>();
  private final int limit;
  private final Receiver receiver;

  TcpConnections(int limit, Receiver receiver) {
    this.limit = limit;
    this.receiver = receiver;
  }

  boolean add(Channel channel) {
    if (byPeer.size() >= limit) {
      receiver.onRefused(Refusal.TOO_MANY_CONNECTIONS);
      return false;
    }
    byPeer.put((InetSocketAddress) channel.remoteAddress(), channel);
    return true;
  }

  void remove(Channel channel) {
    byPeer.values().remove(channel);
  }

  boolean has(InetSocketAddress peer) {
    Channel channel = byPeer.get(peer);
    return channel != null && channel.isActive();
  }

  void write(InetSocketAddress peer, byte[] bytes) throws IOException {
    Channel channel = byPeer.get(peer);
    if (channel == null || !channel.isActive()) {
      throw new IOException("no TCP connection with " + peer);
    }
    if (!channel.isWritable()) {
      channel.close();
      throw new IOException("peer " + peer + " does not read, connection closed");
    }
    channel.writeAndFlush(Unpooled.wrappedBuffer(bytes), channel.voidPromise());
  }

  /// From here on there is no connection with the peer, though closing takes a moment.
  void close(InetSocketAddress peer) {
    Channel channel = byPeer.remove(peer);
    if (channel != null) {
      channel.close();
    }
  }
}
