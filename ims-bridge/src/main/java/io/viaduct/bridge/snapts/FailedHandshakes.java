package io.viaduct.bridge.snapts;

import io.grpc.Attributes;
import io.grpc.ServerTransportFilter;
import org.jspecify.annotations.Nullable;

/// Counts connections that ended before the handshake was complete: plain text, TLS before 1.3, an
/// untrusted certificate, or silence.
final class FailedHandshakes extends ServerTransportFilter {
  private final Runnable onFailure;

  FailedHandshakes(Runnable onFailure) {
    this.onFailure = onFailure;
  }

  /// @param attributes absent when the transport never became ready
  @Override
  public void transportTerminated(@Nullable Attributes attributes) {
    if (attributes == null) {
      onFailure.run();
    }
  }
}
