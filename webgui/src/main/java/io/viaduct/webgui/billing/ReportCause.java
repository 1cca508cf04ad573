package io.viaduct.webgui.billing;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The reasons for which billing holds or refuses a report, or waits for a signature, as far as the
/// pages have texts for them.
public final class ReportCause {
  private static final Set<String> KNOWN =
      Set.of(
          "UNKNOWN_ACCOUNT",
          "ACCOUNT_INACTIVE",
          "ACCOUNT_ERASED",
          "NO_TOKEN",
          "TOKEN_KEY_UNKNOWN",
          "OVER_CHARGE_BOUND",
          "OVER_UNSIGNED_BOUND",
          "RECEIPT_OWED",
          "MALFORMED",
          "BAD_IDENTITY",
          "BAD_NUMBER",
          "NOT_FINITE",
          "BAD_DURATION",
          "UNKNOWN_CLASS",
          "SUM_MISMATCH",
          "DUPLICATE_FLOW",
          "EMPTY_INTERVAL",
          "FLOW_OVER_INTERVAL",
          "OVER_LINE_RATE",
          "SEQUENCE_JUMP",
          "TOKEN_MALFORMED",
          "TOKEN_FORGED",
          "TOKEN_OF_OTHER_SESSION",
          "TOKEN_OF_OTHER_AUDIENCE",
          "TOKEN_NOT_VALID_THEN",
          "RECEIPT_MALFORMED",
          "RECEIPT_FORGED",
          "RECEIPT_OF_OTHER_INTERVAL",
          "RECEIPT_OF_OTHER_COUNTS",
          "LOWER_EPOCH",
          "TOO_LATE",
          "CONFLICT",
          "DISCARDED");

  private ReportCause() {}

  /// Returns billing's word if the pages have a text for it, else null.
  public static @Nullable String known(@Nullable String word) {
    return word != null && KNOWN.contains(word) ? word : null;
  }
}
