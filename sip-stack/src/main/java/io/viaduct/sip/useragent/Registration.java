package io.viaduct.sip.useragent;

import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipEndpoint;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.Optional;
import java.util.OptionalLong;

/// The registration's requests (RFC 3261 section 10.2): one Call-ID for all, CSeq counting up.
/// Confined to the user agent's thread.
final class Registration {
  private static final int INTERVAL_TOO_BRIEF = 423;
  private static final long RETRY_AFTER_SECONDS_MAX = 600;

  private final UserAgentSettings settings;
  private final LocalIdentity identity;
  private final String callId = SipEndpoint.token();
  private final String tag = SipEndpoint.token();
  private long cseq;
  private long expiresSeconds;

  Registration(UserAgentSettings settings, LocalIdentity identity) {
    this.settings = settings;
    this.identity = identity;
    this.expiresSeconds = settings.expires().toSeconds();
  }

  SipRequest register(SipFlow flow) {
    return request(flow, expiresSeconds);
  }

  SipRequest deregister(SipFlow flow) {
    return request(flow, 0);
  }

  private SipRequest request(SipFlow flow, long expires) {
    return request()
        .with("Contact", identity.contact(flow))
        .with("Expires", Long.toString(expires));
  }

  private SipRequest request() {
    String to = "<" + settings.addressOfRecord() + ">";
    return identity.request("REGISTER", "sip:" + settings.domain(), to, tag, callId, ++cseq);
  }

  /// Asks for our bindings and changes none (RFC 3261 section 10.2.3).
  SipRequest query() {
    return request();
  }

  /// Whether an answer lists our Contact.
  boolean isShown(SipResponse response, SipFlow flow) {
    return ours(response, flow).isPresent();
  }

  /// Learns from a refusal.
  ///
  /// @return whether the next attempt will ask for something else
  boolean adapts(SipResponse response) {
    if (response.status() != INTERVAL_TOO_BRIEF) {
      return false;
    }
    long minimum = number(response, "Min-Expires").orElse(0);
    boolean more = minimum > expiresSeconds;
    expiresSeconds = Math.max(expiresSeconds, minimum);
    return more;
  }

  /// For how long the registrar has granted our Contact, seconds.
  OptionalLong granted(SipResponse response, SipFlow flow) {
    String seconds =
        ours(response, flow)
            .map(contact -> contact.parameters().getOrDefault("expires", ""))
            .orElse("");
    return seconds.matches("\\d{1,9}")
        ? OptionalLong.of(Long.parseLong(seconds))
        : number(response, "Expires");
  }

  private Optional<NameAddress> ours(SipResponse response, SipFlow flow) {
    String ours = NameAddress.parse(identity.contact(flow)).uri();
    for (String value : response.headers().values("Contact")) {
      try {
        NameAddress contact = NameAddress.parse(value);
        if (contact.uri().equalsIgnoreCase(ours)) {
          return Optional.of(contact);
        }
      } catch (IllegalArgumentException e) {
        continue; // another device's
      }
    }
    return Optional.empty();
  }

  /// The server's wish to be left alone, at most ten minutes of it.
  static long retryAfterMs(SipResponse response) {
    return 1000 * Math.min(RETRY_AFTER_SECONDS_MAX, number(response, "Retry-After").orElse(0));
  }

  static OptionalLong number(SipResponse response, String header) {
    return response
        .headers()
        .first(header)
        .filter(text -> text.matches("\\d{1,9}"))
        .map(text -> OptionalLong.of(Long.parseLong(text)))
        .orElse(OptionalLong.empty());
  }
}
