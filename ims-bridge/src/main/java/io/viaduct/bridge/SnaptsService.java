package io.viaduct.bridge;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.BridgeConfiguration.Snapt;
import io.viaduct.bridge.directory.PeerIdentity;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.reporting.MediationForwarder;
import io.viaduct.bridge.reporting.ReportMeters;
import io.viaduct.bridge.reporting.ReportRefusal;
import io.viaduct.bridge.reporting.ReportStream;
import io.viaduct.bridge.reporting.ReportVerifier;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import java.util.Locale;
import java.util.Optional;

/// The gRPC service that SNAPTs call. [PeerIdentity] has checked who calls.
final class SnaptsService extends SnaptsGrpc.SnaptsImplBase {
  private static final String ACCEPTED = "accepted";
  private static final String OVER_MESSAGE_LIMIT = "over_message_limit";

  private final SnaptDirectory directory;
  private final TokenIssuer tokens;
  private final ReportVerifier verifier;
  private final MediationForwarder forwarder;
  private final ReportMeters meters;
  private final int unacknowledged;
  private final MeterRegistry registry;

  SnaptsService(
      SnaptDirectory directory,
      TokenIssuer tokens,
      ReportVerifier verifier,
      MediationForwarder forwarder,
      ReportMeters meters,
      int unacknowledged,
      MeterRegistry registry) {
    this.directory = directory;
    this.tokens = tokens;
    this.verifier = verifier;
    this.forwarder = forwarder;
    this.meters = meters;
    this.unacknowledged = unacknowledged;
    this.registry = registry;
    for (SnaptDirectory.Refusal reason : SnaptDirectory.Refusal.values()) {
      announcements(label(reason)); // shown as 0 from the start
    }
    announcements(ACCEPTED);
    announcements(OVER_MESSAGE_LIMIT);
  }

  /// A message on one of the two streams was longer than gRPC takes; its stream has ended.
  void onOversized(String method) {
    if (method.equals(SnaptsGrpc.getReportMethod().getFullMethodName())) {
      meters.refused(ReportRefusal.OVER_MESSAGE_LIMIT);
    } else {
      announcements(OVER_MESSAGE_LIMIT).increment();
    }
  }

  private Counter announcements(String outcome) {
    return registry.counter("viaduct.bridge.announcements", "outcome", outcome);
  }

  private static String label(SnaptDirectory.Refusal reason) {
    return reason.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public StreamObserver<SignedUsageReport> report(StreamObserver<ReportAck> acks) {
    Snapt sender =
        directory
            .configured(PeerIdentity.NAME.get())
            .orElseThrow(Status.PERMISSION_DENIED::asRuntimeException);
    return new ReportStream(
        sender,
        verifier,
        forwarder,
        meters,
        (ServerCallStreamObserver<ReportAck>) acks,
        unacknowledged);
  }

  @Override
  public StreamObserver<SnaptStatus> announce(StreamObserver<SnaptStatusAck> acks) {
    String id = PeerIdentity.NAME.get();
    SnaptStatusAck keys = SnaptStatusAck.newBuilder().addAllTokenKeys(tokens.publicKeys()).build();
    return new StreamObserver<>() {
      private boolean ended;

      @Override
      public void onNext(SnaptStatus status) {
        if (ended) {
          return;
        }
        Optional<SnaptDirectory.Refusal> refusal = directory.announce(id, status);
        announcements(refusal.map(SnaptsService::label).orElse(ACCEPTED)).increment();
        if (refusal.isPresent()) {
          ended = true;
          acks.onError(
              Status.INVALID_ARGUMENT
                  .withDescription("status refused: " + refusal.get())
                  .asRuntimeException());
        } else {
          acks.onNext(keys);
        }
      }

      @Override
      public void onError(Throwable cause) {
        ended = true;
      }

      @Override
      public void onCompleted() {
        if (!ended) {
          ended = true;
          acks.onCompleted();
        }
      }
    };
  }
}
