package io.viaduct.bridge.snapts;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.JoinRequest;
import io.viaduct.usage.v1.JoiningGrpc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;

/// Relays SNAPTs that join by a one-time code to billing (ADR 0072). The callers have no
/// certificate yet, so anybody may call: the requests of a source are limited. A code has 256
/// random bits; the limit keeps billing's database from being asked without end.
final class JoiningService extends JoiningGrpc.JoiningImplBase {
  private static final Context.Key<InetAddress> SOURCE =
      Context.keyWithDefault("source", InetAddress.getLoopbackAddress());

  private final CertificateRelay<SourceNetwork> relay;

  /// @param deadline longest wait for billing
  JoiningService(
      ManagedChannel billing, Duration deadline, InstantSource clock, MeterRegistry registry) {
    relay =
        new CertificateRelay<>(
            billing,
            deadline,
            clock,
            registry,
            "viaduct_bridge_joins",
            "Requests of SNAPTs that join by a one-time code, by outcome");
  }

  /// Returns the service, with what it must know of its callers.
  ServerServiceDefinition service() {
    return ServerInterceptors.intercept(bindService(), new Source());
  }

  private static final class Source implements ServerInterceptor {
    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
        ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
      return call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)
              instanceof InetSocketAddress from
          ? Contexts.interceptCall(
              Context.current().withValue(SOURCE, from.getAddress()), call, headers, next)
          : next.startCall(call, headers);
    }
  }

  @Override
  public void join(JoinRequest request, StreamObserver<JoinAnswer> answer) {
    relay.relay(
        SourceNetwork.of(SOURCE.get()),
        request.getSerializedSize(),
        answer,
        billing -> billing.join(request));
  }
}
