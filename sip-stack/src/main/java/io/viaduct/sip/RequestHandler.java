package io.viaduct.sip;

/// What an endpoint does with incoming requests. Called on a virtual thread of its own for each
/// request: it may block.
@FunctionalInterface
public interface RequestHandler {
  void onRequest(IncomingRequest request);
}
