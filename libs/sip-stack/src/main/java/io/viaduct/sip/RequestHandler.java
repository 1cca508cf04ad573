package io.viaduct.sip;

/// Handles the incoming requests of an endpoint. Each call runs on a virtual thread of its own and
/// may block.
@FunctionalInterface
public interface RequestHandler {
  void onRequest(IncomingRequest request);
}
