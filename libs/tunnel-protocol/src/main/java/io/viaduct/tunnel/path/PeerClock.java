package io.viaduct.tunnel.path;

/// Translates the peer's time stamps: holds the offset of the peer's clock as the probes measured
/// it. One writer and reader: the session's event loop.
public final class PeerClock {
  private long offsetUs;
  private boolean known;

  /// Sets the peer's clock minus ours, in µs.
  public void offset(long us) {
    offsetUs = us;
    known = true;
  }

  /// Returns whether the offset has been measured.
  public boolean isKnown() {
    return known;
  }

  /// Returns the time since the peer's stamp, in µs. The 32 bits of a stamp are right for any delay
  /// below 35 minutes.
  public int sinceUs(int stampUs, long nowNs) {
    return (int) (nowNs / 1000 + offsetUs) - stampUs;
  }
}
