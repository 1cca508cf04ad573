package io.viaduct.bridge.snapts;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.credit.CreditRelay;
import io.viaduct.bridge.directory.PeerIdentity;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.reporting.ReportMeters;
import io.viaduct.bridge.reporting.ReportRefusal;
import io.viaduct.bridge.reporting.ReportStream;
import io.viaduct.bridge.reporting.ReportStreams;
import io.viaduct.bridge.reporting.ReportTransport;
import io.viaduct.bridge.reporting.ReportVerifier;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.DirectoryEntry;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.RenewRequest;
import io.viaduct.usage.v1.ReportAck;
import io.viaduct.usage.v1.Revocations;
import io.viaduct.usage.v1.SignedUsageReport;
import io.viaduct.usage.v1.SnaptStatus;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.SnaptsGrpc;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/// The gRPC service that SNAPTs call. [PeerIdentity] has authenticated the caller.
final class SnaptsService extends SnaptsGrpc.SnaptsImplBase {
  private static final String ACCEPTED = "accepted";
  private static final String OVER_MESSAGE_LIMIT = "over_message_limit";

  private final SnaptDirectory directory;
  private final SnaptClaims claims;
  private final TokenIssuer tokens;
  private final SignedDirectories signed;
  private final Supplier<Optional<Revocations>> revocations;
  private final ReportVerifier verifier;
  private final ReportTransport transport;
  private final ReportStreams streams;
  private final ReportMeters meters;
  private final int unacknowledged;
  private final CreditRelay credit;
  private final CertificateRelay<String> renewals;
  private final InstantSource clock;
  private final MeterRegistry registry;

  SnaptsService(
      SnaptDirectory directory,
      SnaptClaims claims,
      TokenIssuer tokens,
      SignedDirectories signed,
      Supplier<Optional<Revocations>> revocations,
      ReportVerifier verifier,
      ReportTransport transport,
      ReportStreams streams,
      ReportMeters meters,
      int unacknowledged,
      CreditRelay credit,
      CertificateRelay<String> renewals,
      InstantSource clock,
      MeterRegistry registry) {
    this.directory = directory;
    this.claims = claims;
    this.tokens = tokens;
    this.signed = signed;
    this.revocations = revocations;
    this.verifier = verifier;
    this.transport = transport;
    this.streams = streams;
    this.meters = meters;
    this.unacknowledged = unacknowledged;
    this.credit = credit;
    this.renewals = renewals;
    this.clock = clock;
    this.registry = registry;
    for (SnaptDirectory.Refusal reason : SnaptDirectory.Refusal.values()) {
      announcements(label(reason)); // so that the counter is shown as 0 from the start
    }
    announcements(ACCEPTED);
    announcements(OVER_MESSAGE_LIMIT);
  }

  /// Counts a message that was longer than gRPC's limit; gRPC has ended its stream.
  void onOversized(String method) {
    if (method.equals(SnaptsGrpc.getReportMethod().getFullMethodName())) {
      meters.refused(ReportRefusal.OVER_MESSAGE_LIMIT);
    } else if (method.equals(SnaptsGrpc.getCreditMethod().getFullMethodName())) {
      credit.onOversized();
    } else {
      announcements(OVER_MESSAGE_LIMIT).increment();
    }
  }

  private Counter announcements(String outcome) {
    return Counter.builder("viaduct_bridge_announcements")
        .description("Statuses of SNAPTs, accepted or refused by reason")
        .tag("outcome", outcome)
        .register(registry);
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
    String peer = PeerIdentity.ADDRESS.get();
    return new ReportStream(
        sender.id(),
        () -> directory.configured(sender.id()),
        () -> claims.mayReport(sender.id(), peer),
        verifier,
        transport,
        streams,
        meters,
        (ServerCallStreamObserver<ReportAck>) acks,
        unacknowledged);
  }

  @Override
  public StreamObserver<SnaptStatus> announce(StreamObserver<SnaptStatusAck> acks) {
    return new AnnounceStream(
        PeerIdentity.NAME.get(),
        PeerIdentity.ADDRESS.get(),
        directory,
        claims,
        tokens::publicKeys,
        this::told,
        revocations,
        clock,
        acks,
        refusal -> announcements(refusal.map(SnaptsService::label).orElse(ACCEPTED)).increment());
  }

  private AnnounceStream.Told told() {
    List<DirectoryEntry> entries = directory.entries();
    return new AnnounceStream.Told(entries, signed.of(entries).orElse(null));
  }

  @Override
  public StreamObserver<CreditRequest> credit(StreamObserver<CreditAnswer> answers) {
    return credit.open(
        PeerIdentity.NAME.get(),
        PeerIdentity.ADDRESS.get(),
        (ServerCallStreamObserver<CreditAnswer>) answers);
  }

  @Override
  public void renew(RenewRequest request, StreamObserver<JoinAnswer> answer) {
    String snapt = PeerIdentity.NAME.get();
    renewals.relay(
        snapt,
        request.getSerializedSize(),
        answer,
        billing -> billing.renew(request.toBuilder().setSnaptId(snapt).build()));
  }
}
