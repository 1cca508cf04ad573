package io.viaduct.billing.rest;

import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.settlement.Evidence;

/// The body of an operator's decision about a report, with its reason.
record OperatorDecision(String reason) {
  private static final int REASON_MAX = 256;

  OperatorDecision {
    JsonBody.require("reason", reason);
  }

  Evidence.Decision toDecision(Caller caller) {
    if (reason.isBlank()) {
      throw ProblemException.invalid("reason must say why, got only blanks");
    }
    return new Evidence.Decision(caller.account(), PlainText.require("reason", reason, REASON_MAX));
  }

  /// Returns the number in a path. A path without a number is answered with "not found".
  static long id(String text) {
    if (!text.matches("[0-9]{1,18}")) {
      throw ProblemException.notFound();
    }
    return Long.parseLong(text);
  }
}
