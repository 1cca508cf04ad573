package io.viaduct.sip.digest;

import java.util.List;

/// What a server makes of a request's credentials.
public sealed interface DigestOutcome {
  /// @param user who sent it
  record Authenticated(String user) implements DigestOutcome {}

  /// @param challenges header values of the 401 or 407, preferred first
  record Refused(DigestRefusal reason, List<String> challenges) implements DigestOutcome {}
}
