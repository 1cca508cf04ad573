package io.viaduct.bridge;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.function.Consumer;

/// Sees what gRPC itself refuses because it is longer than a message may be: such a message never
/// reaches the service.
final class OversizedMessages extends ServerStreamTracer.Factory {
  private final Consumer<String> onRefused;

  /// @param onRefused gets the full name of the called method
  OversizedMessages(Consumer<String> onRefused) {
    this.onRefused = onRefused;
  }

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return new ServerStreamTracer() {
      @Override
      public void streamClosed(Status status) {
        if (status.getCode() == Status.Code.RESOURCE_EXHAUSTED) {
          onRefused.accept(method);
        }
      }
    };
  }
}
