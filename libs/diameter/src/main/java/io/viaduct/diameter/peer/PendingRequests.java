package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.peer.DiameterStatistics.Count;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The requests in flight to one peer by hop-by-hop identifier, the oldest first.
final class PendingRequests {
  private final String host;
  private final Duration limit;
  private final DiameterStatistics statistics;
  private final Map<Integer, PendingRequest> byIdentifier = new LinkedHashMap<>();
  private int next;

  /// @param host of the peer, for messages
  /// @param limit time limit of an answer
  PendingRequests(String host, Duration limit, DiameterStatistics statistics, int firstIdentifier) {
    this.host = host;
    this.limit = limit;
    this.statistics = statistics;
    this.next = firstIdentifier;
  }

  int size() {
    return byIdentifier.size();
  }

  /// Adds a request and returns its message with its hop-by-hop identifier.
  DiameterMessage add(Peer peer, PendingRequest request, long nowMs) {
    while (byIdentifier.containsKey(next)) {
      next++;
    }
    request.sentTo(peer, nowMs + limit.toMillis());
    byIdentifier.put(next, request);
    statistics.count(Count.REQUEST_SENT);
    DiameterMessage message = request.message();
    return message.with(message.header().withHopByHop(next++));
  }

  /// Removes the request of an answer and returns it, or null if there is none.
  @Nullable PendingRequest answered(DiameterMessage answer) {
    PendingRequest request = byIdentifier.remove(answer.header().hopByHop());
    statistics.count(request == null ? Count.STRAY_ANSWER : Count.ANSWER_RECEIVED);
    return request;
  }

  /// Ends the request whose answer was refused by the codec.
  void malformedAnswer(int identifier) {
    PendingRequest request = byIdentifier.remove(identifier);
    if (request != null) {
      fail(request, DiameterFailure.MALFORMED_ANSWER, "the answer of " + host + " is malformed");
    }
  }

  /// Ends the requests whose deadline has passed. All have the same time limit, so the order of the
  /// map is that of the deadlines.
  void expire(long nowMs) {
    Iterator<PendingRequest> oldest = byIdentifier.values().iterator();
    while (oldest.hasNext()) {
      PendingRequest request = oldest.next();
      if (!request.isLate(nowMs)) {
        return;
      }
      oldest.remove();
      fail(
          request,
          DiameterFailure.TIMEOUT,
          host + " did not answer within " + limit.toMillis() + " ms");
    }
  }

  /// Ends all requests, because the node closes.
  void abandon() {
    takeAll().forEach(request -> fail(request, DiameterFailure.CLOSED, "the node was closed"));
  }

  /// Removes all requests, the oldest first.
  List<PendingRequest> takeAll() {
    List<PendingRequest> all = List.copyOf(byIdentifier.values());
    byIdentifier.clear();
    return all;
  }

  private void fail(PendingRequest request, DiameterFailure failure, String text) {
    statistics.count(failure);
    request.fail(failure, text);
  }
}
