package io.viaduct.diameter.peer;

/// Reasons why a request got no answer.
public enum DiameterFailure {
  /// No peer is connected that takes requests of this application.
  NO_PEER,
  /// As many requests are in flight as the limit allows.
  TOO_MANY_PENDING,
  /// No answer came in time. The peer may have processed the request.
  TIMEOUT,
  /// The answer was refused by the codec.
  MALFORMED_ANSWER,
  /// The node was closed.
  CLOSED
}
