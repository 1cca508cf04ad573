package io.viaduct.billing.call;

/// The answer to a request of a call.
///
/// @param grantedSeconds seconds that the call may last from now on; 0 for none
/// @param isLast true if no further seconds can be paid
/// @param isCopy true if the request was answered before; then this is the same answer
public record CallAnswer(CallOutcome outcome, long grantedSeconds, boolean isLast, boolean isCopy) {
  static CallAnswer refused(CallOutcome outcome) {
    return new CallAnswer(outcome, 0, false, false);
  }
}
