package io.viaduct.billing.configuration;

import static io.viaduct.billing.configuration.Rules.require;

/// Times for which bills and personal data are kept.
///
/// @param ledgerMonths whole months (UTC) of bills and postings that are kept before the present
///   one; 0 for all
/// @param personalDataMonths whole months of peers' addresses and of reports as signed that are
///   kept before the present one; 0 for all
public record RetentionSettings(int ledgerMonths, int personalDataMonths) {
  public RetentionSettings {
    requireMonths("ledger-months", ledgerMonths);
    requireMonths("personal-data-months", personalDataMonths);
  }

  // A report comes at most 31 days late, which are in two months.
  private static void requireMonths(String key, int months) {
    require(
        months == 0 || months >= 2 && months <= 1200,
        key + " must be 0, or 2 to 1200",
        Integer.toString(months));
  }
}
