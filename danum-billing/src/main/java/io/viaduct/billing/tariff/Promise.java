package io.viaduct.billing.tariff;

/// A promise that a class makes by its references (Table I of the seed).
// = ijans2015 table 1
public enum Promise {
  /// The delay is at most the reference.
  DELAY,
  /// The throughput is at least the reference, for a flow that has data waiting for at least half
  /// of the interval.
  THROUGHPUT
}
