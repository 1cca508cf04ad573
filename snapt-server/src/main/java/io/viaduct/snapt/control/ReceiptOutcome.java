package io.viaduct.snapt.control;

/// The outcome of a request for a receipt; each value is a counter.
public enum ReceiptOutcome {
  /// The device signed exactly the SNAPT's numbers.
  SIGNED,
  /// The device refused: it counted fewer bytes, beyond its tolerance.
  COUNTS_DIFFER,
  /// The device refused: it no longer has the counts of that session.
  UNKNOWN_SESSION,
  /// The device refused for a reason that this version does not know.
  OTHER_REFUSAL,
  /// The signature is invalid, or the receipt contains other numbers.
  FORGED,
  /// The answer belongs to no open request.
  UNASKED,
  /// The device is connected and did not answer in time.
  UNANSWERED
}
