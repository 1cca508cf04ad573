package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.CodecLimits;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Peers and limits of a node.
///
/// @param listen where peers may connect, or null if none may
/// @param peers in the order in which they are given requests: the first one that is available
/// @param watchdog Tw of RFC 3539, 30 s by default and 6 s at least in service; also the time
///   between two attempts to connect
/// @param handshake time limit of connecting, capabilities exchange and disconnection
/// @param answer time limit of an answer
/// @param pendingMax requests in flight, all peers together, and again requests of peers that are
///   processed; further ones of ours fail, further ones of peers get 3004
/// @param rememberedMax requests of peers that are remembered for duplicates, for four minutes
/// @param connectionsMax accepted connections whose peer is not known yet
/// @param codec bounds on one message
public record NodeSettings(
    @Nullable InetSocketAddress listen,
    List<PeerSettings> peers,
    Duration watchdog,
    Duration handshake,
    Duration answer,
    int pendingMax,
    int rememberedMax,
    int connectionsMax,
    CodecLimits codec) {
  public NodeSettings {
    peers = List.copyOf(peers);
    if (watchdog.toMillis() < 1 || handshake.toMillis() < 1 || answer.toMillis() < 1) {
      throw new IllegalArgumentException("need times of 1 ms or more");
    }
    if (pendingMax < 1 || rememberedMax < 1 || connectionsMax < 1) {
      throw new IllegalArgumentException(
          "need pendingMax, rememberedMax, connectionsMax >= 1, got "
              + pendingMax
              + ", "
              + rememberedMax
              + ", "
              + connectionsMax);
    }
    if (peers.stream().map(PeerSettings::host).distinct().count() != peers.size()) {
      throw new IllegalArgumentException("two peers have the same host");
    }
  }

  /// Returns settings with the default times and limits.
  public static NodeSettings standard(
      @Nullable InetSocketAddress listen, List<PeerSettings> peers) {
    return new NodeSettings(
        listen,
        peers,
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        10_000,
        10_000,
        64,
        CodecLimits.STANDARD);
  }
}
