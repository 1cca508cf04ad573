package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;

/// Sums up the tunnel's counters for the receipts: inner bytes of both directions, recently lost
/// bytes from the SNAPT, and the bytes of the last seconds. Called after each batch; allocates
/// nothing.
///
/// Lost bytes are estimated from gaps in the SNAPT's sequence numbers: the number of missing
/// datagrams times the mean size of the datagrams that arrived. Bodies with missing fragments count
/// as gaps too.
final class SessionCounter {
  // The window is long enough for a mean. It is short enough not to mix bulk data with earlier
  // small datagrams.
  private static final int WINDOW_DATAGRAMS = 64;
  // The SNAPT gets FLOW_STATS of a slow flow every five seconds, plus up to one second if they wait
  // for a packet. It counts a loss another second later.
  private static final int RECENT_SECONDS = 8;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long LOST_MAX = 1L << 50;
  private static final ServiceClass[] CLASSES = ServiceClass.values();

  private final TunnelSession session;
  private final SessionCounts counts;
  private final long startNs;
  // The count at the end of each of the last seconds.
  private final long[] upThen = new long[RECENT_SECONDS + 1];
  private final long[] downThen = new long[RECENT_SECONDS + 1];
  private final long[] lostThen = new long[RECENT_SECONDS + 1];
  private long second;
  private long up;
  private long down;
  private long lost;
  private long lostWithWindow;
  private long windowDatagrams;
  private long windowExpected;
  private long windowDown;

  SessionCounter(TunnelSession session, SessionCounts counts, long nowNs) {
    this.session = session;
    this.counts = counts;
    this.startNs = nowNs;
  }

  /// Updates the counts after a batch.
  void note(long nowNs) {
    pass((nowNs - startNs) / SECOND_NS);
    SessionTotals totals = session.totals();
    up = 0;
    down = 0;
    for (ServiceClass each : CLASSES) {
      up += totals.sent(each).preBytes();
      down += totals.received(each).preBytes();
    }
    long datagrams = totals.receivedDatagrams() - windowDatagrams;
    long missing = lostIn(datagrams);
    if (datagrams >= WINDOW_DATAGRAMS) {
      lost = Math.clamp(lost + missing, 0, LOST_MAX);
      missing = 0;
      windowDatagrams += datagrams;
      windowExpected = session.expectedDatagrams();
      windowDown = down;
    }
    lostWithWindow = Math.clamp(lost + missing, 0, LOST_MAX);
    int oldest = (int) ((second + 1) % upThen.length);
    counts.note(
        up,
        down,
        Math.max(0, lostWithWindow - lostThen[oldest]),
        up - upThen[oldest],
        down - downThen[oldest]);
  }

  /// Returns the bytes lost in the open window; negative if datagrams arrived late.
  private long lostIn(long datagrams) {
    if (datagrams == 0) {
      return 0;
    }
    long missing = session.expectedDatagrams() - windowExpected - datagrams;
    double bytes = missing * (double) (down - windowDown) / datagrams;
    return (long) Math.min(bytes, (double) LOST_MAX);
  }

  private void pass(long nowNs) {
    if (nowNs - second > upThen.length) {
      Arrays.fill(upThen, up);
      Arrays.fill(downThen, down);
      Arrays.fill(lostThen, lostWithWindow);
      second = nowNs;
    }
    while (second < nowNs) {
      second++;
      int place = (int) (second % upThen.length);
      upThen[place] = up;
      downThen[place] = down;
      lostThen[place] = lostWithWindow;
    }
  }
}
