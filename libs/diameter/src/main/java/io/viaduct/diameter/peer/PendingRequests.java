package io.viaduct.diameter.peer;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The requests in flight to one peer by hop-by-hop identifier, the oldest first.
final class PendingRequests {
  private final Map<Integer, PendingRequest> byIdentifier = new LinkedHashMap<>();
  private int next;

  PendingRequests(int firstIdentifier) {
    this.next = firstIdentifier;
  }

  int size() {
    return byIdentifier.size();
  }

  /// Adds a request and returns its hop-by-hop identifier.
  int add(PendingRequest request) {
    while (byIdentifier.containsKey(next)) {
      next++;
    }
    byIdentifier.put(next, request);
    return next++;
  }

  /// Removes the request with an identifier and returns it, or null.
  @Nullable PendingRequest take(int identifier) {
    return byIdentifier.remove(identifier);
  }

  /// Removes the requests whose deadline has passed. All have the same time limit, so the order of
  /// the map is that of the deadlines.
  List<PendingRequest> takeLate(long nowMs) {
    List<PendingRequest> late = new ArrayList<>();
    Iterator<PendingRequest> oldest = byIdentifier.values().iterator();
    while (oldest.hasNext()) {
      PendingRequest request = oldest.next();
      if (!request.isLate(nowMs)) {
        break;
      }
      late.add(request);
      oldest.remove();
    }
    return late;
  }

  /// Removes all requests, the oldest first.
  List<PendingRequest> takeAll() {
    List<PendingRequest> all = List.copyOf(byIdentifier.values());
    byIdentifier.clear();
    return all;
  }
}
