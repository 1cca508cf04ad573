package io.viaduct.sip.useragent;

import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipEndpoint;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.List;
import java.util.OptionalLong;

/// The registration's requests (RFC 3261 section 10.2): one Call-ID for all, CSeq counting up.
/// Confined to the user agent's thread.
final class Registration {
  private static final int INTERVAL_TOO_BRIEF = 423;

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
    String to = "<" + settings.addressOfRecord() + ">";
    return identity
        .request("REGISTER", "sip:" + settings.domain(), to, tag, callId, ++cseq)
        .with("Contact", identity.contact(flow))
        .with("Expires", Long.toString(expires));
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
    String ours = NameAddress.parse(identity.contact(flow)).uri();
    List<String> contacts = response.headers().values("Contact");
    for (String value : contacts) {
      NameAddress contact;
      try {
        contact = NameAddress.parse(value);
      } catch (IllegalArgumentException e) {
        continue; // another device's
      }
      String seconds = contact.parameters().getOrDefault("expires", "");
      if (contact.uri().equalsIgnoreCase(ours) && seconds.matches("\\d{1,9}")) {
        return OptionalLong.of(Long.parseLong(seconds));
      }
    }
    return number(response, "Expires");
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
