package io.viaduct.billing.credit;

/// The rule that let the traffic of an application pass in an interval.
enum PassRule {
  /// All of it was within a quota.
  QUOTA,
  /// A part of it was granted by a grace, because the account had no credit for a further quota.
  GRACE,
  /// A part of it was more than any quota had allowed: billing was away, or the SNAPT disobeyed.
  BEYOND_QUOTA
}
