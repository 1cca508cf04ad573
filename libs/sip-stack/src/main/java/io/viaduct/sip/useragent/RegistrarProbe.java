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
/// Three probes follow each registration, a second apart, to compare SIP with the tunnel. While no
/// tunnel stands, a probe follows every 30 s: it shows that the network passes SIP only. Confined
/// to the user agent's thread; [#roundTrip] may be read by all threads.
final class RegistrarProbe {
  private static final int PROBES = 3;
  private static final long SPACING_MS = 1_000;
  private static final long PERIOD_MS = 30_000;

  private final String uri;
  private final LocalIdentity identity;
  private final RequestSender endpoint;
  private final InstantSource clock;
  private final Executor owner;
  private final String callId = SipEndpoint.token();
  private final String tag = SipEndpoint.token();
  private volatile SipRoundTrip roundTrip = SipRoundTrip.NONE; // written by the owner
  private long cseq;
  private int wanted;
  private long nextMs;
  private boolean isTunnelUp;

  RegistrarProbe(
      String domain,
      LocalIdentity identity,
      RequestSender endpoint,
      InstantSource clock,
      Executor owner) {
    this.uri = "sip:" + domain;
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
  }

  /// Tells whether a tunnel stands.
  void tunnel(boolean isUp) {
    isTunnelUp = isUp;
  }

  void tick(long nowMs, SipFlow to) {
    if (wanted == 0 && isTunnelUp || nowMs < nextMs) {
      return;
    }
    wanted = Math.max(0, wanted - 1);
    nextMs = nowMs + (wanted > 0 ? SPACING_MS : PERIOD_MS);
    Instant sent = clock.instant();
    String timestamp =
        String.format(Locale.ROOT, "%d.%06d", sent.getEpochSecond(), sent.getNano() / 1_000);
    roundTrip = new SipRoundTrip(roundTrip.lastMs(), roundTrip.sent() + 1, roundTrip.answered());
    SipRequest probe =
        identity
            .request("MESSAGE", uri, "<" + uri + ">", tag, callId, ++cseq)
            .with("Timestamp", timestamp);
    var unused =
        endpoint
            .send(probe, to)
            .whenCompleteAsync((response, _) -> answered(sent, timestamp, response), owner);
  }

  private void answered(Instant sent, String timestamp, @Nullable SipResponse response) {
    if (response == null
        || !response.isSuccess()
        || !response.headers().first("Timestamp").orElse("").startsWith(timestamp)) {
      return;
    }
    double ms = Duration.between(sent, clock.instant()).toNanos() / 1e6;
    roundTrip = new SipRoundTrip(Math.max(0, ms), roundTrip.sent(), roundTrip.answered() + 1);
  }
}
