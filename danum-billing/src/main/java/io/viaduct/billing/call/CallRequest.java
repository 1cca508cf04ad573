package io.viaduct.billing.call;

import java.util.List;

/// A request of a node about one call.
///
/// @param originHost the node
/// @param session Session-Id, unique at the node
/// @param number CC-Request-Number; a request with the same one is a copy
/// @param subscribers user parts of the addresses of who pays; the first one with an account counts
/// @param usedSeconds seconds since the last request
/// @param wantedSeconds seconds that are wanted; 0 for none
public record CallRequest(
    String originHost,
    String session,
    long number,
    Kind kind,
    List<String> subscribers,
    long usedSeconds,
    long wantedSeconds) {
  /// Places of a request in its call.
  public enum Kind {
    INITIAL,
    UPDATE,
    TERMINATION
  }

  public CallRequest {
    subscribers = List.copyOf(subscribers);
  }

  /// Returns the request's own name, which the ledger takes once.
  String identity() {
    return originHost + "/" + session + "#" + number;
  }
}
