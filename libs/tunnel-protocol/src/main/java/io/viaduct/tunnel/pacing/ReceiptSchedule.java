package io.viaduct.tunnel.pacing;

import io.viaduct.tunnel.wire.PathMessage;
import org.jspecify.annotations.Nullable;

/// Decides when a receiver reports arrivals to the sender.
///
/// A receipt is due at the earliest 25 ms and 12,000 bytes after the last one. So receipts cost at
/// most 0.7 % of the reported bytes. With several paths a receipt is also due 1 s and 4,000 bytes
/// after the last one: the loss of a call's path must be known too. One more receipt is due where
/// DATA flow in one direction only: a SNAPT with nothing to send for 3.5 s confirms the arrivals,
/// or the device would have to probe.
///
/// Each receipt names the least one-way delay since the one before. The delay that no datagram
/// could avoid is a standing queue; any further delay is jitter. Each receipt also names the
/// largest datagram: the path carries that size.
public final class ReceiptSchedule {
  static final long SPACING_NS = 25_000_000;

  /// Least number of bytes between two receipts while data flow, in outer IP packets.
  public static final int SPACING_BYTES = 12_000;

  static final long THIN_SPACING_NS = 1_000_000_000;

  /// Least number of bytes between two receipts of a path with little traffic.
  public static final int THIN_SPACING_BYTES = 4_000;

  static final long SILENCE_NS = 3_500_000_000L;

  /// Pause in DATA after which the silence is counted anew.
  static final long PAUSE_NS = 3_000_000_000L;

  private final boolean breaksSilence;
  private final boolean ofThinFlows;
  private long bytes;
  private int largest;
  private long reported;
  private long reportedNs;
  private boolean delayKnown;
  private int delayUs;
  private boolean dataCame;
  private long dataNs;
  private long beganNs;

  /// Creates the schedule.
  ///
  /// @param breaksSilence true if the sender judges the path by the datagrams that it receives from
  ///   here
  /// @param ofThinFlows true if there are several paths, so that the loss of little traffic counts
  public ReceiptSchedule(boolean breaksSilence, boolean ofThinFlows, long nowNs) {
    this.breaksSilence = breaksSilence;
    this.ofThinFlows = ofThinFlows;
    reportedNs = nowNs;
    dataNs = nowNs;
    beganNs = nowNs;
  }

  /// Counts arrived datagrams.
  ///
  /// @param outerBytes bytes of their IP packets
  /// @param largestBytes bytes of the largest of them
  public void arrived(int outerBytes, int largestBytes) {
    bytes += outerBytes;
    largest = Math.max(largest, largestBytes);
  }

  /// Returns the bytes of IP packets that have arrived, cumulative.
  public long bytes() {
    return bytes;
  }

  /// Notes that DATA arrived.
  public void data(long nowNs) {
    if (nowNs - dataNs > PAUSE_NS) {
      beganNs = nowNs;
    }
    dataNs = nowNs;
    dataCame = true;
  }

  /// Takes the one-way delay of a datagram with a time stamp.
  ///
  /// @param uncorrectedUs our clock at the arrival minus the peer's clock at the departure
  public void delay(int uncorrectedUs) {
    if (!delayKnown || uncorrectedUs - delayUs < 0) {
      delayUs = uncorrectedUs;
      delayKnown = true;
    }
  }

  /// Decides whether to send a receipt now. The caller asks after each batch.
  ///
  /// @param sentNs time at which this end last sent a datagram
  /// @return the receipt to send now, null for none
  public PathMessage.@Nullable Receipt due(long sentNs, long nowNs) {
    boolean much = bytes - reported >= SPACING_BYTES && nowNs - reportedNs >= SPACING_NS;
    boolean thin =
        ofThinFlows
            && bytes - reported >= THIN_SPACING_BYTES
            && nowNs - reportedNs >= THIN_SPACING_NS;
    long silentSinceNs = Math.max(Math.max(sentNs, reportedNs), beganNs);
    boolean silent = breaksSilence && dataCame && nowNs - silentSinceNs >= SILENCE_NS;
    dataCame = false;
    if (!delayKnown || !much && !thin && !silent) {
      return null;
    }
    reported = bytes;
    reportedNs = nowNs;
    delayKnown = false;
    var receipt =
        new PathMessage.Receipt(
            (int) (nowNs / 1000), (int) bytes, delayUs, largest, PathMessage.NO_COUNT);
    largest = 0;
    return receipt;
  }
}
