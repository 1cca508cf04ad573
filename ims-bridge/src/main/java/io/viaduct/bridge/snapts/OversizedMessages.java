package io.viaduct.bridge.snapts;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Reports messages that gRPC refuses because they exceed its length limit; they never reach the
/// service. It also silences gRPC's log, which would write a stack trace for each: one broken SNAPT
/// could fill the disk.
final class OversizedMessages extends ServerStreamTracer.Factory {
  // A strong reference: java.util.logging holds loggers weakly, and would lose the level.
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
