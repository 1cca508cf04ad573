package io.viaduct.bridge;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Sees what gRPC itself refuses because it is longer than a message may be: such a message never
/// reaches the service. gRPC would also write a stack trace for each, with which one broken SNAPT
/// fills a disk; a counter says the same.
final class OversizedMessages extends ServerStreamTracer.Factory {
  // Held here, because java.util.logging forgets a logger with its level when nobody holds it.
  private static final Logger GRPC = Logger.getLogger("io.grpc.netty.NettyServerStream");

  private final Consumer<String> onRefused;

  /// @param onRefused gets the full name of the called method
  OversizedMessages(Consumer<String> onRefused) {
    this.onRefused = onRefused;
    GRPC.setLevel(Level.SEVERE);
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
