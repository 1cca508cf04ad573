package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;
import java.util.concurrent.CompletableFuture;

/// Processes the requests of one application. Called on the event loop, so it must not block.
@FunctionalInterface
public interface RequestHandler {
  /// Returns the answer to a request, at once or later. It is called once for all copies of a
  /// request. A future that fails is answered with 5012 UNABLE_TO_COMPLY and is not remembered.
  CompletableFuture<DiameterMessage> handle(DiameterMessage request);
}
