package io.viaduct.sip.guard;

import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.stun.StunMessage;
import org.jspecify.annotations.Nullable;

/// The guard's decision about a message.
public sealed interface Verdict {
  /// A valid message.
  record Accepted(SipMessage message) implements Verdict {}

  /// Only line ends: a keep-alive (RFC 5626 section 3.5.1).
  record KeepAlive() implements Verdict {}

  /// A STUN binding message, which shares the port with SIP (RFC 5626 section 8).
  record Stun(StunMessage message) implements Verdict {}

  /// A refused message.
  ///
  /// @param answerable the request without its body, if enough of it is valid for an answer
  record Refused(Refusal reason, @Nullable SipRequest answerable) implements Verdict {}
}
