package io.viaduct.bridge.reporting;

import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.BridgeConfiguration.Snapt;
import io.viaduct.bridge.reporting.ReportVerifier.Outcome;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import java.util.function.BooleanSupplier;

/// One SNAPT's stream of reports. Lets so many in unacknowledged and asks for the next with each
/// acknowledgement.
public final class ReportStream implements StreamObserver<SignedUsageReport> {
  private final Snapt sender;
  private final BooleanSupplier holdsId;
  private final ReportVerifier verifier;
  private final MediationForwarder forwarder;
  private final ReportMeters meters;
  private final ServerCallStreamObserver<ReportAck> acks;
  private boolean closed; // guarded by this
  private boolean senderDone; // guarded by this
  private int underWay; // guarded by this

  /// @param holdsId whether no other process holds the sender's id
  /// @param unacknowledged most reports under way
  public ReportStream(
      Snapt sender,
      BooleanSupplier holdsId,
      ReportVerifier verifier,
      MediationForwarder forwarder,
      ReportMeters meters,
      ServerCallStreamObserver<ReportAck> acks,
      int unacknowledged) {
    this.sender = sender;
    this.holdsId = holdsId;
    this.verifier = verifier;
    this.forwarder = forwarder;
    this.meters = meters;
    this.acks = acks;
    acks.disableAutoRequest();
    acks.setOnCancelHandler(this::onCancel);
    acks.request(unacknowledged);
  }

  @Override
  public void onNext(SignedUsageReport signed) {
    meters.received();
    synchronized (this) {
      underWay++;
    }
    switch (verifier.verify(sender, signed)) {
      case Outcome.Genuine(var report) when !holdsId.getAsBoolean() -> {
        meters.refused(sender.id(), ReportRefusal.ID_IN_USE);
        acknowledge(
            PendingReport.ack(
                report, ReportVerdict.DEFERRED, "another process holds the id of this SNAPT"));
      }
      case Outcome.Genuine(var report) ->
          forwarder.submit(new PendingReport(signed, report, this::acknowledge));
      case Outcome.Refused(var reason, var report, String detail) -> {
        meters.refused(sender.id(), reason);
        acknowledge(PendingReport.ack(report, reason.verdict(), words(reason, detail)));
      }
    }
  }

  private static String words(ReportRefusal reason, String detail) {
    return "refused by the bridge: " + reason + (detail.isEmpty() ? "" : ": " + detail);
  }

  private synchronized void acknowledge(ReportAck ack) {
    meters.acknowledged(ack.getVerdict());
    underWay--;
    if (closed) {
      return; // the SNAPT sends it again on its next stream
    }
    acks.onNext(ack);
    acks.request(1);
    completeIfDone();
  }

  private synchronized void onCancel() {
    closed = true;
  }

  @Override
  public synchronized void onError(Throwable cause) {
    closed = true;
  }

  @Override
  public synchronized void onCompleted() {
    senderDone = true;
    completeIfDone();
  }

  private void completeIfDone() {
    if (senderDone && underWay == 0 && !closed) {
      closed = true;
      acks.onCompleted();
    }
  }
}
