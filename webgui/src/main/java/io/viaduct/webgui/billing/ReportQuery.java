package io.viaduct.webgui.billing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The filter of a list of reports; null or blank takes all.
///
/// @param refusal reason of a device for not signing, one of [#REFUSALS]; it is of unsigned
///   intervals only
public record ReportQuery(
    @Nullable String snapt,
    @Nullable String account,
    @Nullable String reason,
    @Nullable String refusal) {
  /// The reasons of devices that billing knows; the first says that the counts of device and SNAPT
  /// differ.
  public static final List<String> REFUSALS =
      List.of("COUNTS_DIFFER", "UNKNOWN_SESSION", "NOT_SUPPORTED");

  public ReportQuery {
    refusal = refusal != null && REFUSALS.contains(refusal) ? refusal : null;
  }

  /// Returns true if the filter leaves anything out.
  public boolean isNarrowed() {
    return isGiven(snapt) || isGiven(account) || isGiven(reason) || isGiven(refusal);
  }

  private static boolean isGiven(@Nullable String word) {
    return word != null && !word.isBlank();
  }
}
