package io.viaduct.sip;

/// Handles the incoming requests of an endpoint. Each call runs on a virtual thread of its own and
/// may block.
@FunctionalInterface
public interface RequestHandler {
  void onRequest(IncomingRequest request);

  /// Returns whether requests may have to go by a connection later, so that it must stay open
  /// though nothing comes by it. Called on the event loop: must not block.
  default boolean needs(SipFlow connection) {
    return false;
  }
}
