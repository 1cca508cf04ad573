package io.viaduct.sip.useragent;

import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Builds the REGISTER requests (RFC 3261 section 10.2): one Call-ID for all, and a rising CSeq.
/// Confined to the user agent's thread.
final class Registration {
  // delta-seconds, which are less than 2^32 (RFC 3261 section 25.1)
  private static final Pattern SECONDS = Pattern.compile("\\d{1,10}");
  private static final long SECONDS_MAX = 0xFFFF_FFFFL;

  // A comment and parameters may follow (RFC 3261 section 20.33).
  private static final Pattern RETRY_AFTER = Pattern.compile("0*(\\d+)\\s*([(;].*)?");
  private static final long RETRY_AFTER_SECONDS_MAX = 600;

  private final UserAgentSettings settings;
  private final LocalIdentity identity;
  private final String callId = SipEndpoint.token();
  private final String tag = SipEndpoint.token();
  private long cseq;
  private final RequestedExpiry expiry;

  Registration(UserAgentSettings settings, LocalIdentity identity) {
    this.settings = settings;
    this.identity = identity;
    this.expiry = new RequestedExpiry(settings.expires());
  }

  SipRequest register(SipFlow flow) {
    return request(flow, expiry.seconds());
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

  /// Builds a request that fetches our bindings and changes none (RFC 3261 section 10.2.3).
  SipRequest query() {
    return request();
  }

  /// Returns true if an answer lists our Contact.
  boolean isShown(SipResponse response, SipFlow flow) {
    return ours(response, flow).isPresent();
  }

  /// Adapts the next request to a refusal.
  ///
  /// @return true if it should be sent at once
  boolean adaptTo(SipResponse response) {
    return expiry.adaptTo(response);
  }

  /// Returns the lifetime that the registrar granted our Contact, in seconds.
  long granted(SipResponse response, SipFlow flow) {
    OptionalLong own =
        ours(response, flow)
            .map(contact -> seconds(contact.parameters().getOrDefault("expires", "")))
            .orElse(OptionalLong.empty());
    return expiry.granted(own.isPresent() ? own : number(response, "Expires"));
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
        continue; // the Contact of another device
      }
    }
    return Optional.empty();
  }

  /// Returns the server's Retry-After in milliseconds, at most ten minutes.
  static long retryAfterMs(SipResponse response) {
    Matcher asked = RETRY_AFTER.matcher(response.headers().first("Retry-After").orElse(""));
    return asked.matches()
        ? 1000 * Math.min(RETRY_AFTER_SECONDS_MAX, seconds(asked.group(1)).orElse(SECONDS_MAX))
        : 0;
  }

  static OptionalLong number(SipResponse response, String header) {
    return response.headers().first(header).map(Registration::seconds).orElse(OptionalLong.empty());
  }

  private static OptionalLong seconds(String text) {
    return SECONDS.matcher(text).matches()
        ? OptionalLong.of(Math.min(SECONDS_MAX, Long.parseLong(text)))
        : OptionalLong.empty();
  }
}
