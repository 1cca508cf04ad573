package io.viaduct.billing.credit;

import java.util.Locale;

/// The rule that let the traffic of an application pass in an interval.
public enum PassRule {
  /// All of it was within a quota.
  QUOTA,
  /// A part of it was granted by a grace, because the account had no credit for a further quota.
  GRACE,
  /// A part of it was more than any quota had allowed: billing was away, or the SNAPT disobeyed.
  BEYOND_QUOTA,
  /// Its session has no credit control. No row is stored.
  NONE;

  /// Returns the name of the rule in the REST interface, such as `beyond-quota`.
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
