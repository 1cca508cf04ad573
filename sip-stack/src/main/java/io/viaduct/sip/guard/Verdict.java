package io.viaduct.sip.guard;

import io.viaduct.sip.SipMessage;
import io.viaduct.sip.SipRequest;
import org.jspecify.annotations.Nullable;

/// What the guard says about a message.
public sealed interface Verdict {
  /// A message that may go on.
  record Accepted(SipMessage message) implements Verdict {}

  /// Nothing but line ends: a keep-alive (RFC 5626 section 3.5.1).
  record KeepAlive() implements Verdict {}

  /// Not a message for us.
  ///
  /// @param answerable the request without its body, when enough of it is sound for an answer
  record Refused(Refusal reason, @Nullable SipRequest answerable) implements Verdict {}
}
