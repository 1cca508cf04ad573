package io.viaduct.bridge.credit;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Context;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.credit.RemovedDevices.Shown;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.TokenProof;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditControlGrpc.CreditControlStub;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.SessionToken;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// Relays requests for credit to billing, and answers and pushes back. Each stream of a SNAPT has
/// its own stream to billing, so answers need no routing.
public final class CreditRelay {
  private final SnaptDirectory directory;
  private final SnaptClaims claims;
  private final Supplier<TokenKeys> tokenKeys;
  private final String audience;
  private final CreditControlStub billing;
  private final RemovedDevices removed;
  private final Set<SnaptCreditStream> open = ConcurrentHashMap.newKeySet();
  private final InstantSource clock;
  private final LabelledCounters<CreditRefusal> refusals;
  private final Counter relayed;
  private final Counter pushes;

  /// @param tokenKeys keys that the bridge signs tokens with, now or formerly
  /// @param audience group of SNAPTs that tokens must name
  CreditRelay(
      SnaptDirectory directory,
      SnaptClaims claims,
      Supplier<TokenKeys> tokenKeys,
      String audience,
      CreditControlStub billing,
      RemovedDevices removed,
      InstantSource clock,
      MeterRegistry registry) {
    this.directory = directory;
    this.claims = claims;
    this.tokenKeys = tokenKeys;
    this.audience = audience;
    this.billing = billing;
    this.removed = removed;
    this.clock = clock;
    refusals =
        LabelledCounters.register(
            registry,
            "viaduct_bridge_credit_refused",
            "Requests for credit that the bridge answered itself, by reason",
            "reason",
            CreditRefusal.class);
    relayed =
        Counter.builder("viaduct_bridge_credit_relayed")
            .description("Requests for credit that were passed to billing")
            .register(registry);
    pushes =
        Counter.builder("viaduct_bridge_credit_pushed")
            .description("Changes of credit that were passed to a SNAPT")
            .register(registry);
    Gauge.builder("viaduct_bridge_credit_streams", open, Set::size)
        .description("Open streams of SNAPTs for credit")
        .register(registry);
  }

  /// Opens the stream of a SNAPT.
  ///
  /// @param snapt name of its certificate
  /// @param peer address and port of the other end
  public StreamObserver<CreditRequest> open(
      String snapt, String peer, ServerCallStreamObserver<CreditAnswer> answers) {
    return new SnaptCreditStream(this, snapt, peer, answers);
  }

  /// Counts a message that was longer than gRPC's limit; gRPC has ended its stream.
  public void onOversized() {
    refused(CreditRefusal.OVER_MESSAGE_LIMIT);
  }

  boolean isConfigured(String snapt) {
    return directory.configured(snapt).isPresent();
  }

  boolean holdsId(String snapt, String peer) {
    return claims.mayReport(snapt, peer);
  }

  /// Returns the flaw of the request's token.
  Optional<Flaw> flaw(CreditRequest request) {
    return TokenProof.flaw(
            request.getToken(), request.getAccount(), tokenKeys.get(), audience, clock.millis())
        .map(finding -> new Flaw(CreditRefusal.of(finding.flaw()), finding.detail()));
  }

  record Flaw(CreditRefusal reason, String detail) {}

  // The call to billing outlives the SNAPT's call by the time of its end only, so it must not
  // inherit that call's cancellation.
  StreamObserver<CreditRequest> callBilling(StreamObserver<CreditAnswer> answers) {
    Context former = Context.ROOT.attach();
    try {
      return billing.credit(answers);
    } finally {
      Context.ROOT.detach(former);
    }
  }

  void refused(CreditRefusal reason) {
    refusals.increment(reason);
  }

  void relayed() {
    relayed.increment();
  }

  void pushed() {
    pushes.increment();
  }

  void opened(SnaptCreditStream stream) {
    open.add(stream);
  }

  void closed(SnaptCreditStream stream) {
    open.remove(stream);
  }

  /// Notes that a user has lost a device.
  void lostDevice(String user) {
    removed.lost(user, clock.instant());
  }

  /// Takes the credit of devices that were removed.
  public void onClock() {
    for (String user : removed.due(clock.instant())) {
      open.forEach(stream -> stream.revoke(user));
    }
  }

  /// Returns the session that a valid token shows.
  Shown shown(CreditRequest request) {
    try {
      SessionToken token = SessionToken.parseFrom(request.getToken().getToken());
      return new Shown(
          request.getAccount(), token.getDeviceKey().toByteArray(), clock.instant(), false);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalArgumentException("a token without a flaw can be read", e);
    }
  }

  Shown look(Shown session) {
    return removed.look(session);
  }

  /// Returns the flaw of a session whose device was removed; empty if its device is there.
  Optional<Flaw> removal(Shown session) {
    return removed.isRemoved(session, clock.instant())
        ? Optional.of(
            new Flaw(CreditRefusal.DEVICE_REMOVED, "the device was removed from its account"))
        : Optional.empty();
  }
}
