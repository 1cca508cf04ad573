package io.viaduct.snapt;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.operations.LabelledCounters;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.HandshakeFailure;
import io.viaduct.service.tls.RenewalRequest;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.usage.v1.JoinAnswer;
import io.viaduct.usage.v1.RenewRequest;
import io.viaduct.usage.v1.SnaptsGrpc;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Renews the certificate of a running SNAPT (ADR 0072). `renewal.before` the end of the
/// certificate, it hands in a request for the next one, with the same key, by the connection to the
/// bridge. It asks again every `renewal.every` until an operator has signed. The new certificate is
/// used from the next handshake on: open connections and sessions stay.
///
/// Thread: one of its own, which waits for the bridge and for the disk.
final class Renewal implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Renewal.class);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(20);
  private static final Duration FIRST_LOOK = Duration.ofSeconds(30);

  /// The outcomes of attempts; each value is a counter.
  enum Outcome {
    /// A newer certificate is in use.
    RENEWED,
    /// An operator has to sign.
    WAITING,
    /// Billing does not know this SNAPT, or has invited it anew.
    REFUSED,
    /// The certificate does not fit this SNAPT, or cannot be written.
    UNFIT,
    /// The bridge or billing does not answer, or is of an earlier version.
    BRIDGE_AWAY
  }

  private final SnaptConfiguration configuration;
  private final ExchangeableTls tls;
  private final ManagedChannel bridge;
  private final InstantSource clock;
  private final LabelledCounters<Outcome> outcomes;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory("renewal", true));
  private @Nullable Outcome said; // used by the thread

  /// @param bridge channel with this SNAPT's certificate
  Renewal(
      SnaptConfiguration configuration,
      ExchangeableTls tls,
      ManagedChannel bridge,
      InstantSource clock,
      MeterRegistry registry) {
    this.configuration = configuration;
    this.tls = tls;
    this.bridge = bridge;
    this.clock = clock;
    outcomes =
        LabelledCounters.register(
            registry,
            "viaduct_certificate_renewals",
            "Attempts to renew this SNAPT's certificate, by outcome",
            "outcome",
            Outcome.class);
  }

  /// Starts to look after the certificate.
  void start() {
    if (!configuration.renewal().isOff()) {
      var unused =
          thread.scheduleWithFixedDelay(
              this::look,
              Math.min(FIRST_LOOK.toMillis(), configuration.renewal().every().toMillis()),
              configuration.renewal().every().toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  private void look() {
    try {
      if (isDue(configuration, tls.get().chain().getFirst(), clock.instant())) {
        attempt();
      }
    } catch (RuntimeException e) {
      LOG.error("the certificate cannot be renewed, another attempt follows", e);
    }
  }

  /// Returns whether a certificate ends so soon that the next one is asked for.
  static boolean isDue(SnaptConfiguration configuration, X509Certificate current, Instant now) {
    return now.plus(configuration.renewal().before()).isAfter(current.getNotAfter().toInstant());
  }

  /// Returns a line for people if the certificate ends soon.
  static Optional<String> warning(SnaptConfiguration configuration, Instant now) {
    X509Certificate current = TlsMaterial.load(configuration.tls()).chain().getFirst();
    if (now.plus(configuration.renewal().warnedBefore()).isBefore(end(current))) {
      return Optional.empty();
    }
    return Optional.of(
        "warning: tls.certificate: %s ends at %s, in %d days: %s"
            .formatted(
                configuration.tls().certificate(),
                end(current),
                Duration.between(now, end(current)).toDays(),
                configuration.renewal().isOff()
                    ? "issue it again, or let this SNAPT ask for the next one (renewal.before)"
                    : "this SNAPT asks for the next one while it runs, and your operator signs it"
                        + " ('denarii snapts csr %s')".formatted(configuration.id())));
  }

  /// Asks for the next certificate once, and uses it if it is there.
  Outcome attempt() {
    TlsMaterial current = tls.get();
    Outcome outcome;
    try {
      JoinAnswer answer =
          SnaptsGrpc.newBlockingStub(bridge)
              .withDeadlineAfter(ANSWER_MAX.toMillis(), TimeUnit.MILLISECONDS)
              .renew(
                  RenewRequest.newBuilder()
                      .setCertificateRequest(
                          RenewalRequest.of(current.chain().getFirst(), current.key()))
                      .build());
      outcome =
          switch (answer.getVerdict()) {
            case CERTIFIED -> use(answer.getCertificates(), current);
            case WAITING ->
                say(
                    Outcome.WAITING,
                    "it ends at " + end(current) + ", and the operator has to sign the next one");
            case CODE_REFUSED, RENEWAL_REFUSED, VERDICT_UNSPECIFIED, UNRECOGNIZED ->
                say(
                    Outcome.REFUSED,
                    "billing does not know this SNAPT, or has invited it anew ('snapt enrol')");
          };
    } catch (StatusRuntimeException e) {
      outcome =
          say(
              Outcome.BRIDGE_AWAY,
              e.getStatus().getCode() == Status.Code.UNIMPLEMENTED
                  ? "the bridge is of a version that renews none: issue it by hand"
                  : HandshakeFailure.reason(e));
    }
    said = outcome;
    outcomes.increment(outcome);
    return outcome;
  }

  private Outcome use(String certificates, TlsMaterial current) {
    try {
      Optional<TlsMaterial> next =
          CertificateFile.store(configuration, certificates, end(current), clock.instant());
      if (next.isEmpty()) { // the answer to an earlier request
        return say(Outcome.WAITING, "the operator has to sign the next one");
      }
      tls.prepare(next.get()).run();
      LOG.info("the certificate is renewed: it ends at {}", end(next.get()));
      return Outcome.RENEWED;
    } catch (IOException | ConfigurationException e) {
      return say(Outcome.UNFIT, String.valueOf(e.getMessage()));
    }
  }

  private static Instant end(TlsMaterial of) {
    return end(of.chain().getFirst());
  }

  private static Instant end(X509Certificate of) {
    return of.getNotAfter().toInstant();
  }

  // A repeated outcome is logged only once.
  private Outcome say(Outcome outcome, String why) {
    if (said != outcome) {
      LOG.warn("the certificate is not renewed yet: {}", why);
    }
    return outcome;
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
