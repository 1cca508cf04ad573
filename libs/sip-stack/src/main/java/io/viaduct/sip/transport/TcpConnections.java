package io.viaduct.sip.transport;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.tls.CommonName;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.Refusal;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The open connections by flow. Only the event loop writes the map of flows; all threads may read
/// it. Only the event loop uses the counts per source.
final class TcpConnections {
  private final Map<SipFlow, Channel> byFlow = new ConcurrentHashMap<>();
  private final Map<Channel, SourceNetwork> accepted = new HashMap<>();
  private final Map<SourceNetwork, Integer> ofSource = new HashMap<>();
  private final int limit;
  private final int limitPerSource;
  private final Receiver receiver;

  TcpConnections(int limit, int limitPerSource, Receiver receiver) {
    this.limit = limit;
    this.limitPerSource = limitPerSource;
    this.receiver = receiver;
  }

  /// Registers a connection.
  ///
  /// @param isAccepted true if the peer opened it
  /// @return false if it must be closed; the refusal is counted
  boolean add(Channel channel, Transport transport, boolean isAccepted) {
    InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
    if (byFlow.size() >= limit) {
      receiver.onRefused(Refusal.TOO_MANY_CONNECTIONS);
      return false;
    }
    if (isAccepted) {
      SourceNetwork source = SourceNetwork.of(peer.getAddress());
      if (ofSource.getOrDefault(source, 0) >= limitPerSource) {
        receiver.onRefused(Refusal.TOO_MANY_CONNECTIONS_OF_SOURCE);
        return false;
      }
      accepted.put(channel, source);
      ofSource.merge(source, 1, Integer::sum);
    }
    byFlow.put(new SipFlow(transport, peer), channel);
    return true;
  }

  /// Returns how many there are now. Any thread.
  int size() {
    return byFlow.size();
  }

  void remove(Channel channel) {
    byFlow.values().remove(channel);
    SourceNetwork source = accepted.remove(channel);
    if (source != null) {
      ofSource.computeIfPresent(source, (_, count) -> count > 1 ? count - 1 : null);
    }
  }

  boolean has(SipFlow flow) {
    Channel channel = byFlow.get(flow);
    return channel != null && channel.isActive();
  }

  Optional<String> peerName(SipFlow flow) {
    Channel channel = byFlow.get(flow);
    SslHandler tls = channel == null ? null : channel.pipeline().get(SslHandler.class);
    return tls == null ? Optional.empty() : CommonName.ofPeer(tls.engine().getSession());
  }

  /// Returns the connection of a flow, which takes bytes.
  ///
  /// @throws IOException if there is none or the peer does not read
  Channel writable(SipFlow flow) throws IOException {
    Channel channel = byFlow.get(flow);
    if (channel == null || !channel.isActive()) {
      throw new IOException("no connection " + flow);
    }
    if (!channel.isWritable()) {
      channel.close();
      throw new IOException("peer " + flow + " does not read, connection closed");
    }
    return channel;
  }

  /// Closes the connection with a peer. It counts as gone at once, though the closing takes a
  /// moment.
  void close(SipFlow flow) {
    Channel channel = byFlow.remove(flow);
    if (channel != null) {
      channel.close();
    }
  }
}
