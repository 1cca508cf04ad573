package io.viaduct.tunnel.path;

import io.viaduct.tunnel.pacing.ReceiptSchedule;

/// Counts large datagrams that have left and whose arrival no receipt has confirmed. A receipt that
/// names a datagram of this size stands for a probe's answer (RFC 8899 §5.1.1). The size is in
/// doubt if receipts do not come, or name smaller datagrams only.
final class UnprovenSize {
  /// Bytes for which two receipts should have come, docs/protocol.md section 4.3.
  static final int DOUBTFUL_BYTES = 2 * ReceiptSchedule.SPACING_BYTES;

  static final long DOUBTFUL_NS = 1_000_000_000;

  /// Time after which the size is in doubt, however few bytes were sent: a sender that hears
  /// nothing sends less and less.
  static final long DOUBTFUL_AT_ANY_RATE_NS = 2_000_000_000L;

  /// Longest time that a pause between two datagrams counts. No receipt names the last few
  /// datagrams before a pause (docs/protocol.md section 4.3), so its length says nothing about the
  /// path.
  static final long PAUSE_NS_MAX = 1_000_000_000;

  private int largest;
  private int bytes;
  private long usedNs;
  private long lastNs;

  void sent(int size, int datagrams, long nowNs) {
    usedNs = largest == 0 ? 0 : usedNs + Math.min(nowNs - lastNs, PAUSE_NS_MAX);
    lastNs = nowNs;
    largest = Math.max(largest, size);
    bytes = Math.min(DOUBTFUL_BYTES, bytes + size * datagrams);
  }

  /// Takes a receipt.
  ///
  /// @param size largest datagram that has arrived lately; a size up to a 32nd smaller also
  ///   confirms
  void arrived(int size) {
    if (size + (size >> 5) >= largest) {
      clear();
    }
  }

  void clear() {
    largest = 0;
    bytes = 0;
  }

  /// Returns whether a receipt should have come by the time of the last datagram.
  boolean isDoubtful() {
    return largest > 0
        && usedNs >= (bytes >= DOUBTFUL_BYTES ? DOUBTFUL_NS : DOUBTFUL_AT_ANY_RATE_NS);
  }
}
