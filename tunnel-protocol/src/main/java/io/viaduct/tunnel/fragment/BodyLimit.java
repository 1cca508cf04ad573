package io.viaduct.tunnel.fragment;

import io.viaduct.tunnel.wire.FragmentHeader;

/// How long a body may be that is sealed as one: as long as possible while nothing is lost. The
/// loss of one fragment is the loss of its body, so each report of lost bodies halves the limit,
/// down to none at all; it is doubled again after a while, and after a longer one each time that
/// this was too early.
public final class BodyLimit {
  /// Below, datagrams of their own are as cheap.
  public static final int BYTES_MIN = 4_096;

  public static final int BYTES_MAX = FragmentHeader.SEALED_BYTES_MAX;

  private static final long PATIENCE_NS = 1_000_000_000;
  private static final long PATIENCE_NS_MAX = 64 * PATIENCE_NS;

  private int bytes = BYTES_MAX;
  private int lost;
  private long changedNs;
  private long patienceNs = PATIENCE_NS;
  private boolean grown;

  /// Longest body now, tag included; 0: none.
  public int bytes(long nowNs) {
    if (bytes < BYTES_MAX && nowNs - changedNs >= patienceNs) {
      bytes = bytes == 0 ? BYTES_MIN : Math.min(BYTES_MAX, bytes * 2);
      changedNs = nowNs;
      grown = true;
    }
    return bytes;
  }

  /// The peer has given up so many bodies since the session began.
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
