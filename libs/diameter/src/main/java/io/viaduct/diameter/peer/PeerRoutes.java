package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterStatistics.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Gives each request to a peer: the one that Destination-Host names, or the first in the order of
/// the configuration that is available. So requests return to the first peer once its watchdog says
/// that it is back. Only the event loop uses it.
final class PeerRoutes {
  private final List<Peer> peers = new ArrayList<>();
  private final int pendingMax;
  private final DiameterStatistics statistics;

  PeerRoutes(int pendingMax, DiameterStatistics statistics) {
    this.pendingMax = pendingMax;
    this.statistics = statistics;
  }

  void add(Peer peer) {
    peers.add(peer);
  }

  List<Peer> peers() {
    return peers;
  }

  @Nullable Peer find(String host) {
    return peers.stream()
        .filter(peer -> peer.settings().host().equals(host))
        .findFirst()
        .orElse(null);
  }

  int pending() {
    return peers.stream().mapToInt(peer -> peer.pending().size()).sum();
  }

  /// Sends a request, or ends it with a failure.
  void send(PendingRequest request, long nowMs) {
    if (pending() >= pendingMax) {
      fail(request, DiameterFailure.TOO_MANY_PENDING, pendingMax + " requests are in flight");
      return;
    }
    choose(request)
        .ifPresentOrElse(
            peer -> peer.send(request, nowMs),
            () -> fail(request, DiameterFailure.NO_PEER, "no peer takes the request"));
  }

  /// Gives the requests of a failed peer to the next ones. A peer that failed may have processed
  /// them, so they have the T bit and keep their end-to-end identifier.
  void resend(List<PendingRequest> requests, long nowMs) {
    for (PendingRequest request : requests) {
      request.markRetransmission();
      statistics.count(Count.RETRANSMITTED);
      send(request, nowMs);
    }
  }

  /// Gives a request that a peer could not deliver to one that has not had it. If there is none,
  /// the answer of the peer is the result.
  void reroute(PendingRequest request, DiameterMessage answer, long nowMs) {
    request.returned();
    Optional<Peer> next = choose(request).filter(peer -> !request.wasTried(peer));
    if (next.isPresent()) {
      statistics.count(Count.RETRANSMITTED);
      next.get().send(request, nowMs);
    } else {
      request.complete(answer);
    }
  }

  private Optional<Peer> choose(PendingRequest request) {
    long application = request.message().header().application();
    List<Peer> able = peers.stream().filter(peer -> peer.takes(application)).toList();
    Optional<String> destination =
        request
            .message()
            .avps()
            .text("Destination-Host")
            .map(host -> host.toLowerCase(Locale.ROOT));
    return able.stream()
        .filter(peer -> destination.filter(peer.settings().host()::equals).isPresent())
        .findFirst()
        .or(() -> able.stream().filter(peer -> !request.wasTried(peer)).findFirst())
        .or(() -> able.stream().findFirst());
  }

  private void fail(PendingRequest request, DiameterFailure failure, String text) {
    statistics.count(failure);
    request.fail(failure, text);
  }
}
