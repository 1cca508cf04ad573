package io.viaduct.bridge.registrar;

import io.viaduct.sip.SipFlow;
import java.time.Instant;

/// One contact of a registered user.
///
/// @param contact URI that the user agent gave
/// @param instance its `+sip.instance`, or empty
/// @param flow where the REGISTER came from: requests go there, whatever the contact says, because
///   behind a NAT only that way is open
/// @param cseq of the REGISTER, orders those of one Call-ID
public record Binding(
    String user,
    String contact,
    String instance,
    SipFlow flow,
    String callId,
    long cseq,
    Instant registered,
    Instant expires) {
  boolean isLive(Instant now) {
    return now.isBefore(expires);
  }

  /// Whether a later contact takes this one's place (RFC 3261 section 10.3; RFC 5626 section 6: the
  /// same instance from another address).
  boolean isReplacedBy(Binding later) {
    return contact.equals(later.contact)
        || (!instance.isEmpty() && instance.equals(later.instance));
  }
}
