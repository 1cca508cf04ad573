package io.viaduct.bridge.registrar;

import io.viaduct.sip.SipFlow;
import java.time.Instant;
import java.util.Set;

/// One contact of a registered user.
///
/// @param contact URI that the user agent gave
/// @param instance its `+sip.instance`, or empty
/// @param flow where the REGISTER came from: requests go there, whatever the contact says, because
///   behind a NAT only that way is open
/// @param cseq of the REGISTER, orders those of one Call-ID
/// @param preference its `q` in thousandths (RFC 3261 section 20.10)
/// @param methods that it says it understands (RFC 3840, `sip.methods`), `!` before one that it
///   does not; empty if it says nothing
public record Binding(
    String user,
    String contact,
    String instance,
    SipFlow flow,
    String callId,
    long cseq,
    Instant registered,
    Instant expires,
    int preference,
    Set<String> methods) {
  public Binding {
    methods = Set.copyOf(methods);
  }

  boolean isLive(Instant now) {
    return now.isBefore(expires);
  }

  /// Whether a later contact takes this one's place (RFC 3261 section 10.3; RFC 5626 section 6: the
  /// same instance from another address).
  boolean isReplacedBy(Binding later) {
    return contact.equals(later.contact)
        || (!instance.isEmpty() && instance.equals(later.instance));
  }

  /// Whether a REGISTER comes after the one that made this binding (RFC 3261 section 10.3 steps 6
  /// and 7).
  boolean isBefore(String laterCallId, long laterCseq) {
    return !callId.equals(laterCallId) || cseq < laterCseq;
  }

  /// Whether requests of that method may be sent there; who says nothing gets all of them.
  boolean allows(String method) {
    return !methods.contains("!" + method)
        && (methods.contains(method)
            || methods.stream().allMatch(unwanted -> unwanted.startsWith("!")));
  }
}
