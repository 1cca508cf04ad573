package io.viaduct.sip.useragent;

import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Measures the round trip to the registrar by a MESSAGE to the domain itself, with a Timestamp
/// that the answer repeats (RFC 3428, RFC 3261 section 20.38).
///
/// Three probes follow each registration, a second apart, to compare SIP with the tunnel, and then
/// one in each long pause of [ProbePace]. While no tunnel stands, a probe follows in each short
/// pause, the first one after 10 s: it shows that the network passes SIP only. Confined to the user
/// agent's thread; [#roundTrip] may be read by all threads.
final class RegistrarProbe {
  private static final int PROBES = 3;
  private static final long SPACING_MS = 1_000;

  /// A tunnel that ends is usually made again within this time.
  private static final long ALONE_MS = 10_000;

  private final String uri;
  private final LocalIdentity identity;
  private final RequestSender endpoint;
  private final InstantSource clock;
  private final Executor owner;
  private final String callId = SipEndpoint.token();
  private final String tag = SipEndpoint.token();
  private final ProbePace pace;
  private final ProbeSamples samples = new ProbeSamples();
  private volatile SipRoundTrip roundTrip = SipRoundTrip.NONE; // written by the owner
  private long cseq;
  private int wanted;
  private long nextMs;
  private boolean isTunnelUp;
  private long aloneSinceMs = Long.MAX_VALUE;
  private boolean isAlone;

  RegistrarProbe(
      String domain,
      ProbePace pace,
      LocalIdentity identity,
      RequestSender endpoint,
      InstantSource clock,
      Executor owner) {
    this.uri = "sip:" + domain;
    this.pace = pace;
    this.identity = identity;
    this.endpoint = endpoint;
    this.clock = clock;
    this.owner = owner;
  }

  SipRoundTrip roundTrip() {
    return roundTrip;
  }

  /// Sends the probes that follow a registration.
  void registered(long nowMs) {
    wanted = PROBES;
    nextMs = nowMs;
    aloneFrom(nowMs);
  }

  /// Tells whether a tunnel stands.
  void tunnel(boolean isUp, long nowMs) {
    isTunnelUp = isUp;
    if (isUp) {
      aloneSinceMs = Long.MAX_VALUE;
      alone(false);
    } else {
      aloneFrom(nowMs);
    }
  }

  private void aloneFrom(long nowMs) {
    if (!isTunnelUp && aloneSinceMs == Long.MAX_VALUE) {
      aloneSinceMs = nowMs;
      nextMs = Math.min(nextMs, nowMs + ALONE_MS);
    }
  }

  private void alone(boolean now) {
    isAlone = now;
    roundTrip = samples.roundTrip(now);
  }

  void tick(long nowMs, SipFlow to) {
    boolean isOff = isTunnelUp && pace.besideTunnel().isZero();
    if (wanted == 0 && isOff || nowMs < nextMs) {
      return;
    }
    wanted = Math.max(0, wanted - 1);
    nextMs = nowMs + pauseMs();
    Instant sent = clock.instant();
    String timestamp =
        String.format(Locale.ROOT, "%d.%06d", sent.getEpochSecond(), sent.getNano() / 1_000);
    samples.sent();
    alone(isAlone);
    SipRequest probe =
        identity
            .request("MESSAGE", uri, "<" + uri + ">", tag, callId, ++cseq)
            .with("Timestamp", timestamp);
    var unused =
        endpoint
            .send(identity.serviceRoute().over(probe, to), to)
            .whenCompleteAsync((response, _) -> ended(sent, timestamp, response), owner);
  }

  private long pauseMs() {
    if (wanted > 0) {
      return SPACING_MS;
    }
    // Without a pause beside the tunnel, the next probe is due when the tunnel has ended.
    return isTunnelUp ? pace.besideTunnel().toMillis() : pace.alone().toMillis();
  }

  /// Takes the end of a probe.
  ///
  /// @param response null if none came in time. A refusal is no measurement: bridges of a version
  ///   before know no probes.
  private void ended(Instant sent, String timestamp, @Nullable SipResponse response) {
    if (response == null) {
      samples.lost();
      alone(false);
    } else if (response.isSuccess()
        && response.headers().first("Timestamp").orElse("").startsWith(timestamp)) {
      double ms = Duration.between(sent, clock.instant()).toNanos() / 1e6;
      samples.answered(Math.max(0, ms), clock.millis());
      alone(aloneSinceMs != Long.MAX_VALUE && sent.toEpochMilli() - aloneSinceMs >= ALONE_MS);
    }
  }
}
