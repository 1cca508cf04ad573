package io.viaduct.diameter.message;

import org.jspecify.annotations.Nullable;

/// The reader's decision about a message.
public sealed interface Verdict {
  /// A valid message.
  record Accepted(DiameterMessage message) implements Verdict {}

  /// A refused message.
  ///
  /// @param header null if the octets are fewer than a header has
  /// @param failed the AVP for Failed-AVP, or null if no AVP is to blame
  /// @param known the AVPs that were read before the flaw; the answer repeats Session-Id and
  ///   Proxy-Info
  record Refused(
      Refusal reason, @Nullable DiameterHeader header, @Nullable Avp failed, AvpGroup known)
      implements Verdict {}
}
