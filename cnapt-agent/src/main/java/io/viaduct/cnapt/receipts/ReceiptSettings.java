package io.viaduct.cnapt.receipts;

/// The configuration keys `receipts: …`.
///
/// @param tolerancePercent of the device's own counts, by which the SNAPT's may exceed them
/// @param toleranceBytes of each direction, besides
/// @param lossPercentMax share of what the SNAPT sent that may have been lost, as gaps in its
///   sequence numbers show it
public record ReceiptSettings(int tolerancePercent, long toleranceBytes, int lossPercentMax) {
  /// Checks the bounds.
  public ReceiptSettings {
    require(tolerancePercent, 0, 50, "receipts.tolerance-percent");
    require(toleranceBytes, 0, 1L << 30, "receipts.tolerance-bytes");
    require(lossPercentMax, 0, 90, "receipts.loss-percent-max");
  }

  private static void require(long value, long from, long to, String key) {
    if (value < from || value > to) {
      throw new IllegalArgumentException(
          "%s must be from %d to %d, got %d".formatted(key, from, to, value));
    }
  }

  /// Whether a sum that the SNAPT claims agrees with what was counted here.
  boolean agree(long claimed, long counted) {
    return claimed <= counted + counted / 100 * tolerancePercent + toleranceBytes;
  }

  /// Bytes that the SNAPT may have sent besides those that arrived.
  ///
  /// @param estimate from the gaps in its sequence numbers, which it could make at will
  /// @param received bytes that arrived
  long lost(long estimate, long received) {
    return Math.min(estimate, received / (100 - lossPercentMax) * lossPercentMax);
  }
}
