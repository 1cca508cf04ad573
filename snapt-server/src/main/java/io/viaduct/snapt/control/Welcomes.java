package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.snapt.binding.Arrival;
import io.viaduct.snapt.binding.Session;
import io.viaduct.snapt.binding.SessionRegistry;
import io.viaduct.snapt.binding.SessionRegistry.Admission;
import io.viaduct.snapt.binding.ShownToken;
import io.viaduct.tunnel.control.ControlFrame;
import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.control.v1.Hello;
import io.viaduct.tunnel.control.v1.RefusalCode;
import io.viaduct.tunnel.control.v1.Welcome;
import io.viaduct.tunnel.key.SessionSecret;
import io.viaduct.tunnel.terms.HelloTerms;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers a device's Hello: verifies its token, admits or resumes its session, and writes the
/// Welcome. Called on the control thread.
final class Welcomes {
  private static final Logger LOG = LoggerFactory.getLogger(Welcomes.class);

  // Features by which a device asks for a message, beside those of the tunnel.
  private static final List<Feature> TOLD =
      List.of(
          Feature.CREDIT_NOTICES,
          Feature.RELAY_LISTS,
          Feature.LINE_RATES,
          Feature.MOVES,
          Feature.SIGNED_DIRECTORIES);

  private final ControlServer.Settings settings;
  private final TokenVerifier verifier;
  private final SessionRegistry registry;
  private final RelayLists relays;
  private final InstantSource clock;
  private final SecureRandom random = new SecureRandom();
  private final ApplicationNames applications = new ApplicationNames();

  /// The answer to a Hello.
  sealed interface Answer {
    record Welcomed(Session session, Welcome welcome) implements Answer {}

    record Refused(RefusalCode code, String detail) implements Answer {}
  }

  Welcomes(
      ControlServer.Settings settings,
      TokenVerifier verifier,
      SessionRegistry registry,
      RelayLists relays,
      InstantSource clock) {
    this.settings = settings;
    this.verifier = verifier;
    this.registry = registry;
    this.relays = relays;
    this.clock = clock;
  }

  /// @param exporter keying material of the TLS connection
  Answer answer(Hello hello, @Nullable InetAddress from, byte[] exporter) {
    if (hello.getVersion() != ControlFrame.VERSION) {
      return new Answer.Refused(
          RefusalCode.VERSION_UNSUPPORTED,
          "this SNAPT speaks version 1, got " + hello.getVersion());
    }
    return switch (verify(hello.getToken(), hello.getProof(), exporter)) {
      case TokenVerifier.Result.Refused(RefusalCode code, String detail) ->
          new Answer.Refused(code, detail);
      case TokenVerifier.Result.Valid(ShownToken token) -> admit(hello, from, token);
    };
  }

  TokenVerifier.Result verify(ByteString token, ByteString proof, byte[] exporter) {
    return verifier.verify(token, proof, exporter, clock.millis());
  }

  private Answer admit(Hello hello, @Nullable InetAddress from, ShownToken token) {
    SessionSecret secret = SessionSecret.draw(random);
    byte[] revealed = secret.reveal();
    try {
      Session.Terms terms = SessionTerms.of(hello, from, applications, secret, settings.limits());
      return switch (registry.admit(
          token, hello.getResumeSessionId(), hello.getMovedNumber(), terms, clock.millis())) {
        case Admission.Refused(SessionRegistry.Reason reason) -> refused(reason);
        case Admission.Admitted(Session session, boolean resumed) -> {
          LOG.info("{} {}", session, resumed ? "resumed" : "opened");
          boolean signs = terms.receipts() && session.terms().receipts();
          Welcome.Builder welcome = welcome(session, signs).setResumed(resumed);
          yield new Answer.Welcomed(
              session,
              resumed ? welcome.build() : welcome.setSecret(ByteString.copyFrom(revealed)).build());
        }
      };
    } catch (HelloTerms.RefusedException e) {
      return new Answer.Refused(e.code(), String.valueOf(e.getMessage()));
    }
  }

  private static Answer refused(SessionRegistry.Reason reason) {
    return switch (reason) {
      case SESSIONS_EXHAUSTED ->
          new Answer.Refused(
              RefusalCode.SESSIONS_EXHAUSTED,
              "the limit of sessions is reached: try another SNAPT");
      case SPOOL_FULL ->
          new Answer.Refused(
              RefusalCode.SESSIONS_EXHAUSTED,
              "the spool of usage reports is full: try another SNAPT");
      case DRAINING ->
          new Answer.Refused(RefusalCode.DRAINING, "this SNAPT is about to stop: try another one");
      case NOT_ITS_SESSION ->
          new Answer.Refused(
              RefusalCode.SESSION_ACCOUNT_MISMATCH,
              "the session belongs to another account or device: open a new one");
      case NOT_HANDED_OVER ->
          new Answer.Refused(
              RefusalCode.SESSION_ACCOUNT_MISMATCH,
              "the session of this hand-over is not waited for, or has ended: open a new one");
    };
  }

  private Welcome.Builder welcome(Session session, boolean signs) {
    TunnelTerms terms = session.terms().tunnel();
    Welcome.Builder welcome =
        Welcome.newBuilder()
            .setSessionId(session.id().toString())
            .setReceiverIndex(session.receiverIndex())
            .setAead(HelloTerms.wire(terms.aead()))
            .setDataPort(settings.dataPort())
            .setPathMtu(terms.limits().pathMtu())
            .setHistoryBytes(terms.limits().historyBytes())
            .setPaths(terms.limits().paths())
            .setReportIntervalMs((int) settings.interval().toMillis())
            .setEpoch(settings.epoch())
            .setSnaptId(settings.snaptId())
            .addAllFeatures(terms.limits().features());
    relays.fill(welcome, session.terms().features());
    if (signs) {
      welcome.addFeatures(Feature.RECEIPTS);
    }
    for (Feature told : TOLD) {
      if (session.terms().features().contains(told)) {
        welcome.addFeatures(told);
      }
    }
    Arrival arrival = session.arrival();
    if (arrival != null) {
      welcome.setMovedNumber(arrival.number());
    }
    return welcome;
  }
}
