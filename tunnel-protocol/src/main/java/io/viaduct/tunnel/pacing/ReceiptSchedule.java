package io.viaduct.tunnel.pacing;

import io.viaduct.tunnel.wire.PathMessage;
import org.jspecify.annotations.Nullable;

/// When a receiver tells the sender what has arrived: 25 ms and 12,000 bytes after the last time at
/// the earliest, so that receipts cost at most 0.7 % of what they report, and silence costs
/// nothing. Each names the least one-way delay since the one before: what no datagram could avoid
/// is a standing queue, anything above it is jitter. And the largest datagram: the path carries it.
public final class ReceiptSchedule {
  static final long SPACING_NS = 25_000_000;
  static final int SPACING_BYTES = 12_000;

  private int bytes;
  private int largest;
  private int reported;
  private long reportedNs;
  private boolean delayKnown;
  private int delayUs;

  public ReceiptSchedule(long nowNs) {
    reportedNs = nowNs;
  }

  /// Datagrams have arrived.
  ///
  /// @param outerBytes of their IP packets
  /// @param largestBytes of the largest of them
  public void arrived(int outerBytes, int largestBytes) {
    bytes += outerBytes;
    largest = Math.max(largest, largestBytes);
  }

  /// It carried a stamp.
  ///
  /// @param uncorrectedUs our clock at its arrival minus the peer's at its departure
  public void delay(int uncorrectedUs) {
    if (!delayKnown || uncorrectedUs - delayUs < 0) {
      delayUs = uncorrectedUs;
      delayKnown = true;
    }
  }

  /// @return what to send now, null for nothing
  public PathMessage.@Nullable Receipt due(long nowNs) {
    if (!delayKnown || bytes - reported < SPACING_BYTES || nowNs - reportedNs < SPACING_NS) {
      return null;
    }
    reported = bytes;
    reportedNs = nowNs;
    delayKnown = false;
    var receipt = new PathMessage.Receipt((int) (nowNs / 1000), bytes, delayUs, largest);
    largest = 0;
    return receipt;
  }
}
