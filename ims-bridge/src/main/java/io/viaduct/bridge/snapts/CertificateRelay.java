package io.viaduct.bridge.snapts;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.service.throttle.TokenBuckets;
import io.viaduct.usage.v1.EnrolmentGrpc;
import io.viaduct.usage.v1.EnrolmentGrpc.EnrolmentBlockingStub;
import io.viaduct.usage.v1.JoinAnswer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Relays requests of SNAPTs for certificates to billing (ADR 0072). The requests of a caller are
/// limited, so that nobody asks billing's database without end.
///
/// @param <C> what tells callers apart
final class CertificateRelay<C> {
  private static final Logger LOG = LoggerFactory.getLogger(CertificateRelay.class);
  private static final int ATTEMPTS = 30;
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final int CALLERS_MAX = 10_000;
  private static final int BYTES_MAX = 32 << 10;

  /// The outcomes of requests; each value is a counter.
  enum Outcome {
    /// The SNAPT waits for its certificate.
    WAITING,
    /// The SNAPT has got its certificate.
    CERTIFIED,
    /// Billing does not know the code, or not for this SNAPT and these keys; or it has invited the
    /// SNAPT anew.
    CODE_REFUSED,
    /// The caller has asked too often.
    TOO_OFTEN,
    /// The request is longer than any valid one.
    TOO_LONG,
    /// Billing does not answer, or is of an earlier version.
    BILLING_AWAY
  }

  private final EnrolmentBlockingStub billing;
  private final Duration deadline;
  private final TokenBuckets<C> callers;
  private final LabelledCounters<Outcome> outcomes;

  /// @param deadline longest wait for billing
  /// @param meter name of the counter of outcomes
  CertificateRelay(
      ManagedChannel billing,
      Duration deadline,
      InstantSource clock,
      MeterRegistry registry,
      String meter,
      String description) {
    this.billing = EnrolmentGrpc.newBlockingStub(billing);
    this.deadline = deadline;
    callers = new TokenBuckets<>(ATTEMPTS, PAUSE, CALLERS_MAX, clock);
    outcomes = LabelledCounters.register(registry, meter, description, "outcome", Outcome.class);
  }

  /// Relays a request. Blocks: each call runs on its own virtual thread.
  ///
  /// @param bytes size of the request
  void relay(
      C caller,
      int bytes,
      StreamObserver<JoinAnswer> answer,
      Function<EnrolmentBlockingStub, JoinAnswer> call) {
    if (!callers.take(caller)) {
      refuse(
          answer,
          Outcome.TOO_OFTEN,
          Status.RESOURCE_EXHAUSTED.withDescription("too many attempts: wait a minute"));
    } else if (bytes > BYTES_MAX) {
      refuse(
          answer,
          Outcome.TOO_LONG,
          Status.INVALID_ARGUMENT.withDescription("a request has at most " + BYTES_MAX + " bytes"));
    } else {
      relay(answer, call);
    }
  }

  private void relay(
      StreamObserver<JoinAnswer> answer, Function<EnrolmentBlockingStub, JoinAnswer> call) {
    JoinAnswer result;
    try {
      result = call.apply(billing.withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS));
    } catch (StatusRuntimeException e) {
      LOG.warn(
          "billing does not answer a SNAPT that needs a certificate: {}", e.getStatus().getCode());
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
          case CODE_REFUSED, RENEWAL_REFUSED, VERDICT_UNSPECIFIED, UNRECOGNIZED ->
              Outcome.CODE_REFUSED;
        });
    answer.onNext(result);
    answer.onCompleted();
  }

  private void refuse(StreamObserver<JoinAnswer> answer, Outcome why, Status status) {
    outcomes.increment(why);
    answer.onError(status.asRuntimeException());
  }
}
