package io.viaduct.tunnel.pacing;

/// Measures at the receiver what a path carries towards it: the highest rate at which datagrams
/// have arrived in the last five to ten minutes. It is measured between two receipts, by this end's
/// clock and its own counts, so the sender cannot change it by what it says.
public final class ArrivalRate {
  private static final int SPAN_US_MIN = 80_000; // as in DeliveryWindow
  private static final int SPAN_US_MAX = 1_000_000; // longer ones contain a pause

  private final BestRate best = new BestRate();
  private boolean began;
  private int fromUs;
  private int fromBytes;

  /// Takes the time and the bytes of a receipt, as this end sends it.
  ///
  /// @param timeUs this end's clock
  /// @param bytes bytes of outer IP packets that have arrived, cumulative, low 32 bits
  public void receipt(int timeUs, int bytes, long nowNs) {
    int spanUs = timeUs - fromUs;
    if (began && spanUs >= 0 && spanUs < SPAN_US_MIN) {
      return;
    }
    if (began && spanUs >= SPAN_US_MIN && spanUs <= SPAN_US_MAX) {
      best.delivered(Integer.toUnsignedLong(bytes - fromBytes) * 1e6 / spanUs, nowNs);
    }
    began = true;
    fromUs = timeUs;
    fromBytes = bytes;
  }

  /// Returns the rate in bytes per second; 0 if nothing is known.
  public double bytesPerSecond(long nowNs) {
    return best.bytesPerSecond(nowNs);
  }
}
