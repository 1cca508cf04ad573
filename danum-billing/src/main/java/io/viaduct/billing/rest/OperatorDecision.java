package io.viaduct.billing.rest;

import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.settlement.Evidence;

/// The body of a decision about a report: the operator says why.
///
/// @param reason 1 to 256 printable characters, kept with the decision
record OperatorDecision(String reason) {
  private static final int REASON_MAX = 256;

  OperatorDecision {
    JsonBody.require("reason", reason);
  }

  Evidence.Decision by(Caller caller) {
    if (reason.isBlank()) {
      throw ProblemException.invalid("reason must say why, got only blanks");
    }
    return new Evidence.Decision(caller.account(), PlainText.require("reason", reason, REASON_MAX));
  }

  /// The number in a path; a path that has none is not found.
  static long id(String text) {
    if (!text.matches("[0-9]{1,18}")) {
      throw ProblemException.notFound();
    }
    return Long.parseLong(text);
  }
}
