package io.viaduct.tunnel.pacing;

import io.viaduct.tunnel.wire.PathMessage;
import org.jspecify.annotations.Nullable;

/// When a receiver tells the sender what has arrived: 25 ms and 12,000 bytes after the last time at
/// the earliest, so that receipts cost at most 0.7 % of what they report. One more is due where
/// DATA go one way: a SNAPT that has had nothing to send for 3.5 s says that it gets them, or the
/// device would have to probe. Each names the least one-way delay since the one before: what no
/// datagram could avoid is a standing queue, anything above it is jitter. And the largest datagram:
/// the path carries it.
public final class ReceiptSchedule {
  static final long SPACING_NS = 25_000_000;

  /// What arrives between two receipts at least while data flow, bytes of outer IP packets.
  public static final int SPACING_BYTES = 12_000;

  static final long SILENCE_NS = 3_500_000_000L;

  /// DATA after a longer pause are a new question, and will be answered.
  static final long PAUSE_NS = 3_000_000_000L;

  private final boolean breaksSilence;
  private int bytes;
  private int largest;
  private int reported;
  private long reportedNs;
  private boolean delayKnown;
  private int delayUs;
  private boolean dataCame;
  private long dataNs;
  private long beganNs;

  /// @param breaksSilence whether the sender watches the path by what comes from here
  public ReceiptSchedule(boolean breaksSilence, long nowNs) {
    this.breaksSilence = breaksSilence;
    reportedNs = nowNs;
    dataNs = nowNs;
    beganNs = nowNs;
  }

  /// Datagrams have arrived.
  ///
  /// @param outerBytes of their IP packets
  /// @param largestBytes of the largest of them
  public void arrived(int outerBytes, int largestBytes) {
    bytes += outerBytes;
    largest = Math.max(largest, largestBytes);
  }

  /// DATA were among them.
  public void data(long nowNs) {
    if (nowNs - dataNs > PAUSE_NS) {
      beganNs = nowNs;
    }
    dataNs = nowNs;
    dataCame = true;
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

  /// To be asked after each batch.
  ///
  /// @param sentNs when this end has last sent anything
  /// @return what to send now, null for nothing
  public PathMessage.@Nullable Receipt due(long sentNs, long nowNs) {
    boolean much = bytes - reported >= SPACING_BYTES && nowNs - reportedNs >= SPACING_NS;
    long silentSinceNs = Math.max(Math.max(sentNs, reportedNs), beganNs);
    boolean silent = breaksSilence && dataCame && nowNs - silentSinceNs >= SILENCE_NS;
    dataCame = false;
    if (!delayKnown || !much && !silent) {
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
