package io.viaduct.bridge.registrar;

import io.viaduct.bridge.core.CoreRegistration;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// One contact of a registered user.
///
/// @param contact URI that the user agent gave
/// @param instance its `+sip.instance`, or empty
/// @param flow where the REGISTER came from. Requests are sent there and not to the contact's
///   address, because only this path leads back through a NAT
/// @param cseq CSeq number of the REGISTER; orders the REGISTERs of one Call-ID
/// @param preference the contact's `q` in thousandths (RFC 3261 section 20.10)
/// @param methods methods that the contact declares (RFC 3840, `sip.methods`), with `!` before a
///   method that it does not support; empty if it declares none
/// @param regId number of the flow (RFC 5626), from 1; 0 for a contact without outbound
/// @param path Path values of the REGISTER (RFC 3327), the first hop from here first
/// @param language language for words to the user, one of [CreditWords]
/// @param core content of the third-party REGISTER, for a user whom an S-CSCF has registered: then
///   the contact is the public identity, and the S-CSCF finds the user's devices
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
    Set<String> methods,
    int regId,
    List<String> path,
    Locale language,
    Optional<CoreRegistration> core) {
  public Binding {
    methods = Set.copyOf(methods);
    path = List.copyOf(path);
  }

  /// Returns the header fields of a user's request to this contact: with its path as Route (RFC
  /// 3327 section 5.3), and towards the core with the sender, whom the bridge has authenticated. A
  /// user agent is outside the trust domain, and gets no header of the core.
  ///
  /// @param sender SIP address
  public SipHeaders routed(SipHeaders headers, String sender) {
    SipHeaders routed = headers;
    for (String hop : path) {
      routed = routed.with("Route", hop);
    }
    return core.isEmpty()
        ? TrustDomain.outside(routed)
        : routed.with("P-Asserted-Identity", "<" + sender + ">");
  }

  /// Returns the header fields of the bridge's own request to this contact.
  public SipHeaders ofService(SipHeaders headers) {
    return routed(headers, core.map(CoreRegistration::identity).orElse(""));
  }

  /// Returns the key of this binding among those that bridges share: a later one with the same key
  /// replaces it.
  public String key() {
    String part = instance.isEmpty() ? contact : regId == 0 ? instance : instance + "\n" + regId;
    return user + "\n" + part;
  }

  boolean isLive(Instant now) {
    return now.isBefore(expires);
  }

  /// Returns whether a later contact replaces this one: it has the same URI (RFC 3261 section 10.3)
  /// or the same instance. Of two flows of one instance only the number counts (RFC 5626 section
  /// 6).
  boolean isReplacedBy(Binding later) {
    if (regId != 0 && later.regId != 0) {
      return instance.equals(later.instance) && regId == later.regId;
    }
    return contact.equals(later.contact)
        || (!instance.isEmpty() && instance.equals(later.instance));
  }

  /// Returns whether a REGISTER is later than the REGISTER that created this binding (RFC 3261
  /// section 10.3 steps 6 and 7).
  boolean isBefore(String laterCallId, long laterCseq) {
    return !callId.equals(laterCallId) || cseq < laterCseq;
  }

  /// Returns whether requests of a method may be sent to this contact. A contact that declares no
  /// methods gets all of them.
  public boolean allows(String method) {
    return !methods.contains("!" + method)
        && (methods.contains(method)
            || methods.stream().allMatch(unwanted -> unwanted.startsWith("!")));
  }
}
