package io.viaduct.diameter.peer;

import org.jspecify.annotations.Nullable;

/// The connections with one peer: the one that we opened and the one that the peer opened. Both
/// exist only until the election.
final class PeerLinks {
  private @Nullable Connection initiator;
  private @Nullable Connection responder;

  void opened(Connection connection) {
    initiator = connection;
  }

  void accepted(Connection connection) {
    responder = connection;
  }

  boolean isInitiator(Connection connection) {
    return connection == initiator;
  }

  boolean isResponder(Connection connection) {
    return connection == responder;
  }

  @Nullable Connection initiator() {
    return initiator;
  }

  @Nullable Connection responder() {
    return responder;
  }

  /// Returns the connection that carries messages in this state, or null.
  @Nullable Connection carrying(PeerState state) {
    return switch (state) {
      case I_OPEN -> initiator;
      case R_OPEN -> responder;
      case CLOSING -> initiator == null ? responder : initiator;
      default -> null;
    };
  }

  void closeInitiator() {
    if (initiator != null) {
      initiator.close();
      initiator = null;
    }
  }

  void closeResponder() {
    if (responder != null) {
      responder.close();
      responder = null;
    }
  }
}
