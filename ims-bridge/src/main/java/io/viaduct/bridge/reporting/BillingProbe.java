package io.viaduct.bridge.reporting;

import io.grpc.StatusRuntimeException;
import io.viaduct.usage.v1.MediationGrpc;
import io.viaduct.usage.v1.SubmitRequest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/// Sends an empty submission if billing has not been heard for a while, so that the bridge knows
/// whether billing answers.
public final class BillingProbe implements AutoCloseable {
  private final MediationGrpc.MediationBlockingStub mediation;
  private final Duration deadline;
  private final ReportMeters meters;
  private final BillingReachability billing;
  private final InstantSource clock;
  private volatile boolean closed;

  /// @param deadline longest wait for the answer
  public BillingProbe(
      MediationGrpc.MediationBlockingStub mediation,
      Duration deadline,
      ReportMeters meters,
      BillingReachability billing,
      InstantSource clock) {
    this.mediation = mediation;
    this.deadline = deadline;
    this.meters = meters;
    this.billing = billing;
    this.clock = clock;
  }

  /// Asks billing if it is time to.
  public void onClock() {
    if (!closed && billing.isToBeAsked()) {
      Thread.ofVirtual().name("billing-question").start(this::ask);
    }
  }

  private void ask() {
    try {
      var unused =
          mediation
              .withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS)
              .submit(SubmitRequest.newBuilder().setReceivedMs(clock.millis()).build());
      billing.answered();
    } catch (StatusRuntimeException e) {
      if (!closed) {
        meters.billingFailed();
        billing.failed(e);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
