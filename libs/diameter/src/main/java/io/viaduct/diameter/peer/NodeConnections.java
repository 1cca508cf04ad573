package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.MessageReader;
import io.viaduct.diameter.message.Verdict;
import io.viaduct.diameter.peer.DiameterStatistics.Count;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/// The connections of a node and their peers. An accepted connection has no peer before its
/// capabilities exchange.
final class NodeConnections implements ConnectionListener {
  private static final int UNKNOWN_PEER = 3010;
  private static final int NO_COMMON_APPLICATION = 5010;

  private final NodeIdentity own;
  private final NodeSettings settings;
  private final BaseMessages base;
  private final MessageReader reader;
  private final PeerRoutes routes;
  private final DiameterStatistics statistics;
  private final LongSupplier nowMs;
  private final Map<Connection, Peer> peers = new HashMap<>();
  // With their deadlines.
  private final Map<Connection, Long> unknown = new HashMap<>();

  NodeConnections(
      NodeIdentity own,
      NodeSettings settings,
      BaseMessages base,
      MessageReader reader,
      PeerRoutes routes,
      DiameterStatistics statistics,
      LongSupplier nowMs) {
    this.own = own;
    this.settings = settings;
    this.base = base;
    this.reader = reader;
    this.routes = routes;
    this.statistics = statistics;
    this.nowMs = nowMs;
  }

  void opened(Connection connection, Peer peer) {
    peers.put(connection, peer);
  }

  @Override
  public void accepted(Connection connection) {
    if (unknown.size() >= settings.connectionsMax()) {
      statistics.count(Count.NO_CAPABILITIES);
      connection.close();
    } else {
      unknown.put(connection, nowMs.getAsLong() + settings.handshake().toMillis());
    }
  }

  void tick(long now) {
    if (unknown.isEmpty()) {
      return;
    }
    List<Connection> late =
        unknown.entrySet().stream()
            .filter(entry -> now - entry.getValue() >= 0)
            .map(Map.Entry::getKey)
            .toList();
    for (Connection connection : late) {
      unknown.remove(connection);
      statistics.count(Count.NO_CAPABILITIES);
      connection.close();
    }
  }

  @Override
  public void disconnected(Connection connection) {
    unknown.remove(connection);
    Peer peer = peers.remove(connection);
    if (peer != null) {
      peer.disconnected(connection, nowMs.getAsLong());
    }
  }

  @Override
  public void received(Connection connection, byte[] octets) {
    switch (reader.read(octets)) {
      case Verdict.Accepted(DiameterMessage message) -> {
        Peer peer = peers.get(connection);
        if (peer != null) {
          peer.received(connection, message, nowMs.getAsLong());
        } else if (unknown.remove(connection) != null) {
          first(connection, message);
        }
      }
      case Verdict.Refused refused -> refused(connection, refused);
    }
  }

  private void refused(Connection connection, Verdict.Refused refused) {
    statistics.count(refused.reason());
    DiameterMessage answer = base.answers().refusal(refused);
    if (answer != null) {
      connection.send(answer.encode());
    }
    Peer peer = peers.get(connection);
    DiameterHeader header = refused.header();
    if (peer != null && header != null && !header.request()) {
      peer.pending().malformedAnswer(header.hopByHop());
    }
    if (peer == null || refused.reason().endsStream()) {
      connection.close();
    }
  }

  private void first(Connection connection, DiameterMessage message) {
    boolean isCapabilities =
        message.header().request()
            && message.header().command() == BaseMessages.CAPABILITIES_EXCHANGE;
    if (!isCapabilities) {
      statistics.count(Count.UNEXPECTED);
      connection.close();
      return;
    }
    Capabilities word = Capabilities.of(message.avps());
    Peer peer = routes.find(word.host());
    if (peer == null || !peer.settings().mayComeFrom(connection.remote())) {
      reject(connection, message, Count.UNKNOWN_PEER, UNKNOWN_PEER);
    } else if (!word.fits(own)) {
      reject(connection, message, Count.NO_COMMON_APPLICATION, NO_COMMON_APPLICATION);
    } else {
      peers.put(connection, peer);
      peer.accepted(connection, message, nowMs.getAsLong());
    }
  }

  private void reject(
      Connection connection, DiameterMessage request, Count reason, int resultCode) {
    statistics.count(reason);
    connection.send(base.capabilitiesAnswer(request, resultCode).encode());
    connection.close();
  }
}
