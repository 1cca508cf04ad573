package io.viaduct.snapt.control;

/// What became of a boundary that a device was asked to sign; each value is a counter.
public enum ReceiptOutcome {
  /// The device signed exactly the SNAPT's numbers.
  SIGNED,
  /// The device counted less, beyond its tolerance.
  COUNTS_DIFFER,
  /// The device has lost its counts of that session.
  UNKNOWN_SESSION,
  /// The device refused for a reason that this version does not know.
  OTHER_REFUSAL,
  /// The signature does not hold, or other numbers were signed.
  FORGED,
  /// An answer to what was not asked, or was answered before.
  UNASKED,
  /// The device is there and did not answer in time.
  UNANSWERED
}
