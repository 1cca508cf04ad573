package io.viaduct.cnapt.snapts;

import java.util.List;
import java.util.regex.Pattern;

/// What a list says about a SNAPT beside its address.
///
/// @param region location; empty if it is not told
/// @param prices surcharges of its owner
public record SnaptTerms(String region, SnaptPrices prices) {
  /// A SNAPT about which nothing is told.
  public static final SnaptTerms UNKNOWN = new SnaptTerms("", SnaptPrices.NONE);

  private static final Pattern REGION = Pattern.compile("[^\\p{Cntrl}]{0,64}");

  /// Reads an entry of a received list. A region that could not be shown is left out.
  ///
  /// @param microdenarii as [SnaptPrices#of(List)]
  public static SnaptTerms of(String region, List<Long> microdenarii) {
    return new SnaptTerms(
        REGION.matcher(region).matches() ? region : "", SnaptPrices.of(microdenarii));
  }
}
