package io.viaduct.sip.useragent;

import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipEndpoint;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The registration's requests (RFC 3261 section 10.2): one Call-ID for all, CSeq counting up.
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
  private final AskedExpiry expiry;

  Registration(UserAgentSettings settings, LocalIdentity identity) {
    this.settings = settings;
    this.identity = identity;
    this.expiry = new AskedExpiry(settings.expires());
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
  /// @return whether to ask for something else at once
  boolean adapts(SipResponse response) {
    return expiry.adapts(response);
  }

  /// For how long the registrar has granted our Contact, seconds.
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
        continue; // another device's
      }
    }
    return Optional.empty();
  }

  /// The server's wish to be left alone, at most ten minutes of it.
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
