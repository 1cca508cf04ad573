package io.viaduct.tunnel.pacing;

/// The time for which datagrams have waited for a path: for the credit of its pacer, or for its
/// socket. Packets that wait for others of their compound do not count.
public final class WaitingTime {
  private long sumNs;
  private long sinceNs;
  private boolean waits;

  /// Notes whether datagrams wait from now on.
  public void set(boolean waiting, long nowNs) {
    if (waits) {
      sumNs += nowNs - sinceNs;
    }
    waits = waiting;
    sinceNs = nowNs;
  }

  /// Returns the time in ns since the path began.
  public long sumNs(long nowNs) {
    return waits ? sumNs + nowNs - sinceNs : sumNs;
  }
}
