package io.viaduct.cnapt.receipts;

/// The configuration keys `receipts: …`.
///
/// @param tolerancePercent percent by which the SNAPT's counts may exceed the device's own
/// @param toleranceBytes further tolerance of each direction, in bytes
/// @param lossPercentMax largest share of the last seconds' bytes, in percent, that is accepted as
///   lost because of gaps in the SNAPT's sequence numbers. The SNAPT has already deducted earlier
///   loss.
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

  /// Returns true if a sum of the SNAPT agrees with the device's own count.
  boolean agree(long claimed, long counted) {
    return claimed <= counted + counted / 100 * tolerancePercent + toleranceBytes;
  }

  /// Returns the lost bytes that the SNAPT may still count, because it has not learnt of the loss
  /// yet.
  ///
  /// @param estimate estimated loss of the last seconds, from gaps in the SNAPT's sequence numbers.
  ///   A SNAPT can leave gaps on purpose.
  /// @param received bytes that arrived in the last seconds
  long lost(long estimate, long received) {
    return Math.min(estimate, received / (100 - lossPercentMax) * lossPercentMax);
  }
}
