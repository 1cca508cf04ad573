package io.viaduct.tunnel.fragment;

import io.viaduct.tunnel.wire.FragmentHeader;

/// Limits the length of a body that is sealed as one, as long as possible while no body is lost.
///
/// The loss of one fragment loses its whole body. So each report of lost bodies halves the limit,
/// down to none at all. After a pause the limit is doubled again. The pause itself doubles each
/// time that the doubling came too early.
public final class BodyLimit {
  /// Smallest useful limit: below it, separate datagrams cost as little.
  public static final int BYTES_MIN = 4_096;

  public static final int BYTES_MAX = FragmentHeader.SEALED_BYTES_MAX;

  private static final long PATIENCE_NS = 1_000_000_000;
  private static final long PATIENCE_NS_MAX = 64 * PATIENCE_NS;

  private int bytes = BYTES_MAX;
  private int lost;
  private long changedNs;
  private long patienceNs = PATIENCE_NS;
  private boolean grown;

  /// Returns the longest body allowed now, tag included; 0 means none.
  public int bytes(long nowNs) {
    if (bytes < BYTES_MAX && nowNs - changedNs >= patienceNs) {
      bytes = bytes == 0 ? BYTES_MIN : Math.min(BYTES_MAX, bytes * 2);
      changedNs = nowNs;
      grown = true;
    }
    return bytes;
  }

  /// Takes the peer's count of bodies given up since the session began.
  public void incomplete(int total, long nowNs) {
    if (total - lost <= 0) {
      return; // an older report
    }
    lost = total;
    if (grown && nowNs - changedNs < patienceNs) {
      patienceNs = Math.min(PATIENCE_NS_MAX, patienceNs * 2);
    } else if (bytes == BYTES_MAX) {
      patienceNs = PATIENCE_NS;
    }
    grown = false;
    bytes = bytes / 2 < BYTES_MIN ? 0 : bytes / 2;
    changedNs = nowNs;
  }
}
