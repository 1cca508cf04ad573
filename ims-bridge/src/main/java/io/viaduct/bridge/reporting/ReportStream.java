package io.viaduct.bridge.reporting;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.reporting.ReportVerifier.Outcome;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.ReportVerdict;
import io.viaduct.usage.v1.SignedUsageReport;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Handles one SNAPT's stream of reports. It requests a fixed number of reports, and one more with
/// each acknowledgement. The verdict on a report that was acknowledged as queued comes later.
public final class ReportStream implements StreamObserver<SignedUsageReport> {
  private final String id;
  private final Supplier<Optional<Snapt>> sender;
  private final BooleanSupplier holdsId;
  private final ReportVerifier verifier;
  private final ReportTransport forwarder;
  private final ReportStreams streams;
  private final ReportMeters meters;
  private final ServerCallStreamObserver<ReportAck> acks;
  private boolean closed; // guarded by this
  private boolean senderDone; // guarded by this
  private int underWay; // guarded by this

  /// @param id of the SNAPT
  /// @param sender returns the SNAPT as it is enrolled now; empty if it was removed
  /// @param holdsId returns whether no other process holds the sender's id
  /// @param unacknowledged most reports without an acknowledgement
  public ReportStream(
      String id,
      Supplier<Optional<Snapt>> sender,
      BooleanSupplier holdsId,
      ReportVerifier verifier,
      ReportTransport forwarder,
      ReportStreams streams,
      ReportMeters meters,
      ServerCallStreamObserver<ReportAck> acks,
      int unacknowledged) {
    this.id = id;
    this.sender = sender;
    this.holdsId = holdsId;
    this.verifier = verifier;
    this.forwarder = forwarder;
    this.streams = streams;
    this.meters = meters;
    this.acks = acks;
    acks.disableAutoRequest();
    acks.setOnCancelHandler(this::onCancel);
    acks.request(unacknowledged);
    streams.opened(id, this);
  }

  @Override
  public void onNext(SignedUsageReport signed) {
    meters.received();
    Optional<Snapt> configured = sender.get();
    if (configured.isEmpty()) {
      meters.refused(id, ReportRefusal.NOT_ENROLLED);
      end();
      return;
    }
    synchronized (this) {
      underWay++;
    }
    switch (verifier.verify(configured.get(), signed)) {
      case Outcome.Genuine(var report) when !holdsId.getAsBoolean() -> {
        meters.refused(id, ReportRefusal.ID_IN_USE);
        acknowledge(
            PendingReport.ack(
                report, ReportVerdict.DEFERRED, "another process holds the id of this SNAPT"));
      }
      case Outcome.Genuine(var report) ->
          forwarder.submit(new PendingReport(signed, report, this::acknowledge));
      case Outcome.Refused refused -> {
        meters.refused(id, refused.reason());
        acknowledge(refused.acknowledgement());
      }
    }
  }

  // Ends the stream without a verdict: the SNAPT keeps its reports, and they are accepted when it
  // is enrolled again.
  private synchronized void end() {
    if (!closed) {
      closed();
      acks.onError(
          Status.PERMISSION_DENIED
              .withDescription("'" + id + "' is not enrolled any more")
              .asRuntimeException());
    }
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

  /// Passes billing's verdict on a queued report.
  ///
  /// @return false if the SNAPT does not read its stream; nothing is queued for it
  synchronized boolean verdict(ReportAck ack) {
    if (closed || !acks.isReady()) {
      return false;
    }
    meters.acknowledged(ack.getVerdict());
    acks.onNext(ack);
    return true;
  }

  private synchronized void onCancel() {
    closed();
  }

  private void closed() {
    closed = true;
    streams.closed(id, this);
  }

  @Override
  public synchronized void onError(Throwable cause) {
    closed();
  }

  @Override
  public synchronized void onCompleted() {
    senderDone = true;
    completeIfDone();
  }

  private void completeIfDone() {
    if (senderDone && underWay == 0 && !closed) {
      closed();
      acks.onCompleted();
    }
  }
}
