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
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.service.throttle.SourceNetwork;
import io.viaduct.service.throttle.TokenBuckets;
import io.viaduct.usage.v1.EnrolmentGrpc;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.JoinRequest;
import io.viaduct.usage.v1.JoiningGrpc;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Relays SNAPTs that join by a one-time code to billing (ADR 0072). The callers have no
/// certificate yet, so anybody may call: the requests of a source are limited. A code has 256
/// random bits; the limit keeps billing's database from being asked without end.
final class JoiningService extends JoiningGrpc.JoiningImplBase {
  private static final Logger LOG = LoggerFactory.getLogger(JoiningService.class);
  private static final int ATTEMPTS_OF_SOURCE = 30;
  private static final Duration SOURCE_PAUSE = Duration.ofSeconds(2);
  private static final int SOURCES_MAX = 10_000;
  private static final int BYTES_MAX = 32 << 10;
  private static final Context.Key<InetAddress> SOURCE =
      Context.keyWithDefault("source", InetAddress.getLoopbackAddress());

  /// The outcomes of requests; each value is a counter.
  enum Outcome {
    /// The SNAPT waits for its certificate.
    WAITING,
    /// The SNAPT has got its certificate.
    CERTIFIED,
    /// Billing does not know the code, or not for this SNAPT and these keys.
    CODE_REFUSED,
    /// The source has asked too often.
    TOO_OFTEN,
    /// The request is longer than any valid one.
    TOO_LONG,
    /// Billing does not answer, or is of an earlier version.
    BILLING_AWAY
  }

  private final EnrolmentGrpc.EnrolmentBlockingStub billing;
  private final Duration deadline;
  private final TokenBuckets<SourceNetwork> sources;
  private final LabelledCounters<Outcome> outcomes;

  /// @param deadline longest wait for billing
  JoiningService(
      ManagedChannel billing, Duration deadline, InstantSource clock, MeterRegistry registry) {
    this.billing = EnrolmentGrpc.newBlockingStub(billing);
    this.deadline = deadline;
    sources = new TokenBuckets<>(ATTEMPTS_OF_SOURCE, SOURCE_PAUSE, SOURCES_MAX, clock);
    outcomes =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_joins",
            "Requests of SNAPTs that join by a one-time code, by outcome",
            "outcome",
            Outcome.class);
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
    if (!sources.take(SourceNetwork.of(SOURCE.get()))) {
      refuse(
          answer,
          Outcome.TOO_OFTEN,
          Status.RESOURCE_EXHAUSTED.withDescription("too many attempts: wait a minute"));
    } else if (request.getSerializedSize() > BYTES_MAX) {
      refuse(
          answer,
          Outcome.TOO_LONG,
          Status.INVALID_ARGUMENT.withDescription("a request has at most " + BYTES_MAX + " bytes"));
    } else {
      relay(request, answer);
    }
  }

  // Blocks: each call runs on its own virtual thread.
  private void relay(JoinRequest request, StreamObserver<JoinAnswer> answer) {
    JoinAnswer result;
    try {
      result = billing.withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS).join(request);
    } catch (StatusRuntimeException e) {
      LOG.warn("billing does not answer a SNAPT that joins: {}", e.getStatus().getCode());
      refuse(
          answer,
          Outcome.BILLING_AWAY,
          Status.UNAVAILABLE.withDescription("billing does not answer: ask again"));
      return;
    }
    outcomes.increment(
        switch (result.getVerdict()) {
          case WAITING -> Outcome.WAITING;
          case CERTIFIED -> Outcome.CERTIFIED;
          case CODE_REFUSED, VERDICT_UNSPECIFIED, UNRECOGNIZED -> Outcome.CODE_REFUSED;
        });
    answer.onNext(result);
    answer.onCompleted();
  }

  private void refuse(StreamObserver<JoinAnswer> answer, Outcome why, Status status) {
    outcomes.increment(why);
    answer.onError(status.asRuntimeException());
  }
}
