package io.viaduct.tunnel.path;

import io.viaduct.tunnel.pacing.ReceiptSchedule;

/// Large datagrams that have left and of whose arrival nothing is known yet. A receipt that names
/// one as large is the confirmation that RFC 8899 section 5.1.1 lets stand for a probe; only where
/// receipts do not come, or name small ones, is the size in doubt.
final class UnprovenSize {
  /// Two receipts should have come for so much, docs/protocol.md section 4.3.
  static final int DOUBTFUL_BYTES = 2 * ReceiptSchedule.SPACING_BYTES;

  static final long DOUBTFUL_NS = 1_000_000_000;

  /// However little was sent: a sender that hears nothing sends less and less.
  static final long DOUBTFUL_AT_ANY_RATE_NS = 2_000_000_000L;

  /// What a pause between two datagrams counts at most. The last few before it are named by no
  /// receipt, docs/protocol.md section 4.3, so that its length says nothing about the path.
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

  /// @param size of the largest datagram that has arrived of late; a 32nd less is as good
  void arrived(int size) {
    if (size + (size >> 5) >= largest) {
      clear();
    }
  }

  void clear() {
    largest = 0;
    bytes = 0;
  }

  /// Whether a receipt should have come by the time of the last datagram.
  boolean isDoubtful() {
    return largest > 0
        && usedNs >= (bytes >= DOUBTFUL_BYTES ? DOUBTFUL_NS : DOUBTFUL_AT_ANY_RATE_NS);
  }
}
