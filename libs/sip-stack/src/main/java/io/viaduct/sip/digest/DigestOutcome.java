package io.viaduct.sip.digest;

import java.util.List;

/// Result of a server's check of a request's credentials.
public sealed interface DigestOutcome {
  /// The request is authentic.
  ///
  /// @param user the request's sender
  record Authenticated(String user) implements DigestOutcome {}

  /// The credentials are missing or wrong.
  ///
  /// @param challenges header values of the 401 or 407, preferred first
  record Refused(DigestRefusal reason, List<String> challenges) implements DigestOutcome {}
}
