package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.snapts.SnaptDecision;

/// The reason for which all flows have the only SNAPT in use.
final class OnlySnapt {
  private OnlySnapt() {}

  /// Returns the reason, for a person.
  ///
  /// @param now the choice of a flow that begins now, with what is measured
  /// @param region of the SNAPT; empty if it is not known
  static String why(SnaptDecision now, String region) {
    return "it is the only SNAPT in use, and was the first to answer of"
        + " `snapt`, and then of the list by load (not above 80 %), rank of the operator, region,"
        + " price and the order of this device; "
        + (region.isEmpty() ? "" : "its region is " + region + "; ")
        + "now "
        + now.best().words(now.of());
  }
}
