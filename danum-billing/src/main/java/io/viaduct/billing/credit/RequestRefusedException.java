package io.viaduct.billing.credit;

/// A request for credit that breaks a rule. Its message names the value and the rule.
final class RequestRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RequestRefusedException(String message) {
    super(message, null, false, false);
  }
}
