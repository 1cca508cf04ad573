package io.viaduct.tunnel.pacing;

/// Measures at the receiver what a path carries towards it: the highest rate at which datagrams
/// have arrived in the last one to two hours. It is measured between two receipts, or in a train,
/// by this end's clock and its own counts, so the sender cannot change it by what it says.
public final class ArrivalRate {
  private static final int SPAN_US_MIN = 80_000; // as in DeliveryWindow
  private static final int SPAN_US_MAX = 1_000_000; // longer ones contain a pause

  /// Share of the known rate at which the path is full.
  private static final double FULL_SHARE = 0.8;

  private final TrainArrivals train = new TrainArrivals();
  private final BestRate best = new BestRate();
  private boolean began;
  private int fromUs;
  private int fromBytes;
  private long fullUs;

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
      double perSecond = Integer.toUnsignedLong(bytes - fromBytes) * 1e6 / spanUs;
      best.delivered(perSecond, nowNs);
      fullUs += perSecond >= FULL_SHARE * best.bytesPerSecond(nowNs) ? spanUs : 0;
    }
    began = true;
    fromUs = timeUs;
    fromBytes = bytes;
  }

  /// Takes a datagram of a train.
  ///
  /// @param run its run, see [TrainRun]
  /// @param size bytes of its outer IP packet
  public void train(int run, int size, long nowNs) {
    double perSecond = train.arrived(run, size, nowNs);
    if (perSecond > 0) {
      best.delivered(perSecond, nowNs);
    }
  }

  /// Returns the time in which datagrams arrived at nearly the known rate, in ns, cumulative. Then
  /// the sender had more to send, whatever it says.
  public long fullNs() {
    return fullUs * 1000;
  }

  /// Returns the rate in bytes per second; 0 if nothing is known.
  public double bytesPerSecond(long nowNs) {
    return best.bytesPerSecond(nowNs);
  }
}
