package io.viaduct.billing.call;

import java.util.List;
import java.util.Set;

/// A request of a node about one call.
///
/// @param originHost the node
/// @param originRealm realm of the node
/// @param session Session-Id, unique at the node
/// @param number CC-Request-Number; a request with the same one is a copy
/// @param subscribers user parts of the addresses of who pays; the first one with an account counts
/// @param usedSeconds seconds since the last request
/// @param wantedSeconds seconds that are wanted; 0 for none
/// @param media where the media of the call comes from, if the request describes it
public record CallRequest(
    String originHost,
    String originRealm,
    String session,
    long number,
    Kind kind,
    List<String> subscribers,
    long usedSeconds,
    long wantedSeconds,
    Set<MediaPlace> media) {
  /// Places of a request in its call.
  public enum Kind {
    INITIAL,
    UPDATE,
    TERMINATION
  }

  public CallRequest {
    subscribers = List.copyOf(subscribers);
    media = Set.copyOf(media);
  }

  /// Returns the request's own name, which the ledger takes once.
  String identity() {
    return originHost + "/" + session + "#" + number;
  }
}
