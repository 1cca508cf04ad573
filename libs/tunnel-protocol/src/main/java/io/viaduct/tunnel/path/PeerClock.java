package io.viaduct.tunnel.path;

/// Translates the peer's time stamps: holds the offset of the peer's clock as the probes measured
/// it. One writer and reader: the session's event loop.
///
/// Each path measures the same offset, with an error of at most half its round trip. So the offset
/// comes from the path with the least round trip, until that path has not measured for 10 s.
public final class PeerClock {
  static final long HELD_NS = 10_000_000_000L;

  private long offsetUs;
  private int source;
  private double roundTripUs;
  private long measuredNs;
  private boolean known;

  /// Takes a measured offset.
  ///
  /// @param path id of the path that measured it
  /// @param us the peer's clock minus ours, in µs
  /// @param ofRoundTripUs round trip of the measurement, in µs
  public void offset(int path, long us, double ofRoundTripUs, long nowNs) {
    boolean better = path == source || ofRoundTripUs <= roundTripUs || nowNs - measuredNs > HELD_NS;
    if (!known || better) {
      offsetUs = us;
      source = path;
      roundTripUs = ofRoundTripUs;
      measuredNs = nowNs;
      known = true;
    }
  }

  /// Returns whether the offset has been measured.
  public boolean isKnown() {
    return known;
  }

  /// Returns the bound on the error of each one-way delay, in µs: half the round trip of the
  /// measurement. NaN before the first one.
  public double errorBoundUs() {
    return known ? roundTripUs / 2 : Double.NaN;
  }

  /// Returns the time since the peer's stamp, in µs. The 32 bits of a stamp are right for any delay
  /// below 35 minutes.
  public int sinceUs(int stampUs, long nowNs) {
    return (int) (nowNs / 1000 + offsetUs) - stampUs;
  }
}
