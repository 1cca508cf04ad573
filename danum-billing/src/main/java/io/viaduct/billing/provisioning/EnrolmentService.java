package io.viaduct.billing.provisioning;

import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.SnaptFacts;
import io.viaduct.billing.database.Notifications;
import io.viaduct.billing.snapts.Invitations;
import io.viaduct.billing.snapts.Invitations.Joined;
import io.viaduct.billing.snapts.Snapts;
import io.viaduct.billing.snapts.SnaptsImport;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.EnrolledSnapt;
import io.viaduct.usage.v1.EnrolmentGrpc;
import io.viaduct.usage.v1.ImportSnaptsRequest;
import io.viaduct.usage.v1.ImportSnaptsResponse;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.JoinRequest;
import io.viaduct.usage.v1.RefusedSnapt;
import io.viaduct.usage.v1.RenewRequest;
import io.viaduct.usage.v1.SnaptEvent;
import io.viaduct.usage.v1.WatchSnaptsRequest;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sends the enrolled SNAPTs to the bridges, and takes those of a bridge's configuration once (ADR
/// 0050). The endpoint has already checked the caller's certificate.
public final class EnrolmentService extends EnrolmentGrpc.EnrolmentImplBase
    implements Notifications.Listener, AutoCloseable {
  /// Most bridges that watch at the same time. An operator has only a few.
  private static final int WATCHES_MAX = 64;

  private static final int CODE_LENGTH_MAX = 128;
  private static final int REQUEST_LENGTH_MAX = 16_384;
  private static final Pattern PEM =
      Pattern.compile(
          "-----BEGIN (NEW )?CERTIFICATE REQUEST-----[A-Za-z0-9+/=\\s]+"
              + "-----END (NEW )?CERTIFICATE REQUEST-----\\s*");

  private static final Logger LOG = LoggerFactory.getLogger(EnrolmentService.class);

  /// The reasons for refusing a call, or a SNAPT of it.
  enum Refusal {
    /// Too many bridges watch already.
    TOO_MANY_WATCHES,
    /// A SNAPT of an import breaks a rule.
    MALFORMED_SNAPT,
    /// A SNAPT showed no valid one-time code.
    CODE_REFUSED,
    /// A SNAPT that is not enrolled, or is invited anew, asks for its next certificate.
    RENEWAL_REFUSED,
    /// The database did not answer.
    DATABASE_AWAY,
    /// Billing is stopping.
    STOPPING
  }

  private final SnaptRows rows;
  private final SnaptsImport imports;
  private final Invitations invitations;
  private final InstantSource clock;
  private final UnaryOperator<String> ownerOf;
  private final Set<DirectoryWatch<SnaptEvent>> watches = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;
  private final LabelledCounters<Refusal> refusals;

  public EnrolmentService(
      Snapts snapts,
      SurchargeBook surcharges,
      SnaptsImport imports,
      Invitations invitations,
      BillingConfiguration configuration,
      InstantSource clock,
      MeterRegistry registry) {
    this.rows = new SnaptRows(snapts, surcharges, clock);
    this.imports = imports;
    this.invitations = invitations;
    this.clock = clock;
    this.ownerOf = configuration::ownerOf;
    refusals =
        LabelledCounters.register(
            registry,
            "viaduct_enrolment_refused",
            "Refused calls of bridges for SNAPTs, by reason",
            "reason",
            Refusal.class);
    Gauge.builder("viaduct_enrolment_watches", watches, Set::size)
        .description("Bridges that watch SNAPTs now")
        .register(registry);
  }

  @Override
  public void watchSnapts(WatchSnaptsRequest request, StreamObserver<SnaptEvent> events) {
    if (isClosed) {
      refuse(
          events,
          Refusal.STOPPING,
          Status.UNAVAILABLE.withDescription("billing is stopping: call again"));
      return;
    }
    if (watches.size() >= WATCHES_MAX) {
      refuse(
          events,
          Refusal.TOO_MANY_WATCHES,
          Status.RESOURCE_EXHAUSTED.withDescription(
              "at most " + WATCHES_MAX + " bridges may watch SNAPTs"));
      return;
    }
    DirectoryWatch<SnaptEvent> watch =
        new DirectoryWatch<>(rows, (ServerCallStreamObserver<SnaptEvent>) events);
    watches.add(watch); // before it reads, so that it misses no change
    watch.start(() -> watches.remove(watch));
  }

  /// Until now billing alone said who earns a SNAPT's fee. So its own configuration decides about
  /// the owner, not the bridge's. A SNAPT that breaks a rule is named in the answer, and does not
  /// keep the others out.
  @Override
  public void importSnapts(
      ImportSnaptsRequest request, StreamObserver<ImportSnaptsResponse> answer) {
    answer(
        answer,
        () -> {
          ImportSnaptsResponse.Builder result = ImportSnaptsResponse.newBuilder();
          request.getSnaptsList().forEach(each -> enrol(each, result));
          return result.build();
        });
  }

  /// Redeems a one-time code, or gives the certificate of a SNAPT that asks again (ADR 0072).
  @Override
  public void join(JoinRequest request, StreamObserver<JoinAnswer> answer) {
    answer(
        answer,
        () ->
            answered(
                request.getSnaptId(),
                isWellFormed(request)
                    ? invitations.join(
                        request.getSnaptId(),
                        request.getCode(),
                        request.getReportKey().toByteArray(),
                        request.getCertificateRequest(),
                        clock.instant())
                    : new Joined.Refused(),
                Refusal.CODE_REFUSED,
                JoinAnswer.Verdict.CODE_REFUSED));
  }

  /// Takes the request of an enrolled SNAPT for its next certificate, or gives the certificate.
  @Override
  public void renew(RenewRequest request, StreamObserver<JoinAnswer> answer) {
    answer(
        answer,
        () ->
            answered(
                request.getSnaptId(),
                isRequest(request.getSnaptId(), request.getCertificateRequest())
                    ? invitations.renew(
                        request.getSnaptId(), request.getCertificateRequest(), clock.instant())
                    : new Joined.Refused(),
                Refusal.RENEWAL_REFUSED,
                JoinAnswer.Verdict.RENEWAL_REFUSED));
  }

  private JoinAnswer answered(
      String snapt, Joined joined, Refusal refusal, JoinAnswer.Verdict refused) {
    JoinAnswer.Builder answer = JoinAnswer.newBuilder();
    switch (joined) {
      case Joined.Waiting() -> {
        LOG.info("SNAPT {} waits for its certificate", snapt);
        answer.setVerdict(JoinAnswer.Verdict.WAITING);
      }
      case Joined.Certified(String certificates) ->
          answer.setVerdict(JoinAnswer.Verdict.CERTIFIED).setCertificates(certificates);
      case Joined.Refused() -> {
        refusals.increment(refusal);
        answer.setVerdict(refused);
      }
    }
    return answer.build();
  }

  private <T> void answer(StreamObserver<T> call, Supplier<T> work) {
    DatabaseAnswer.give(
        call, "enrolment", work, status -> refuse(call, Refusal.DATABASE_AWAY, status));
  }

  // PostgreSQL refuses U+0000 and values that break the rules of the table.
  private static boolean isWellFormed(JoinRequest request) {
    return isRequest(request.getSnaptId(), request.getCertificateRequest())
        && request.getCode().length() <= CODE_LENGTH_MAX
        && request.getReportKey().size() == Ed25519.PUBLIC_KEY_LENGTH;
  }

  private static boolean isRequest(String snapt, String certificateRequest) {
    return snapt.matches("[A-Za-z0-9._-]{1,64}")
        && certificateRequest.length() <= REQUEST_LENGTH_MAX
        && PEM.matcher(certificateRequest).matches();
  }

  private void enrol(EnrolledSnapt each, ImportSnaptsResponse.Builder result) {
    SnaptFacts facts;
    try {
      facts =
          new SnaptFacts(
              each.getSnaptId(),
              Base64.getEncoder().encodeToString(each.getReportKey().toByteArray()),
              ownerOf.apply(each.getSnaptId()),
              each.getRegion(),
              each.getLineRate() == 0 ? Optional.empty() : Optional.of(each.getLineRate()));
    } catch (IllegalArgumentException e) {
      refusals.increment(Refusal.MALFORMED_SNAPT);
      result.addRefused(
          RefusedSnapt.newBuilder()
              .setSnaptId(each.getSnaptId())
              .setWhy(String.valueOf(e.getMessage())));
      return;
    }
    if (!imports.enrol(facts, "the bridge's configuration")) {
      return;
    }
    result.setEnrolled(result.getEnrolled() + 1);
    if (!facts.owner().equals(each.getOwner())) {
      LOG.warn(
          "SNAPT {}: the bridge's configuration names the owner {}, billing has charged for {},"
              + " which stays; 'denarii snapts' changes it",
          facts.id(),
          each.getOwner(),
          facts.owner());
    }
  }

  private void refuse(StreamObserver<?> call, Refusal why, Status status) {
    refusals.increment(why);
    call.onError(status.asRuntimeException());
  }

  @Override
  public String channel() {
    return "snapt";
  }

  @Override
  public void changed(String snapt) {
    watches.forEach(watch -> watch.changed(snapt));
  }

  /// Ends the streams. The bridges keep their SNAPTs, call again, and then get all of them.
  @Override
  public void interrupted() {
    watches.forEach(DirectoryWatch::end);
  }

  /// Ends the streams and refuses new ones.
  @Override
  public void close() {
    isClosed = true;
    interrupted();
  }
}
