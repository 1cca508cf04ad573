package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.receipts.SessionCounts;
import io.viaduct.tunnel.session.SessionTotals;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.Arrays;

/// Adds up what the tunnel counts anyway, for the receipts: inner bytes both ways, those that were
/// lost on the way here, and those of the last seconds. Called after each batch; allocates nothing.
///
/// The SNAPT counts what it sent. What of it was lost shows as gaps in its sequence numbers: their
/// share, times the mean bytes of the datagrams that came beside them. Bodies whose fragments did
/// not all come are gaps too.
final class SessionCounter {
  // Long enough for a mean, short enough that bulk is not taken for the small datagrams before it.
  private static final int WINDOW_DATAGRAMS = 64;
  private static final int RECENT_SECONDS = 5;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long LOST_MAX = 1L << 50;
  private static final ServiceClass[] CLASSES = ServiceClass.values();

  private final TunnelSession session;
  private final SessionCounts counts;
  private final long startNs;
  // At the end of each of the last seconds.
  private final long[] upThen = new long[RECENT_SECONDS + 1];
  private final long[] downThen = new long[RECENT_SECONDS + 1];
  private long second;
  private long up;
  private long down;
  private long lost;
  private long windowDatagrams;
  private long windowExpected;
  private long windowDown;

  SessionCounter(TunnelSession session, SessionCounts counts, long nowNs) {
    this.session = session;
    this.counts = counts;
    this.startNs = nowNs;
  }

  /// Something may have been carried.
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
    int oldest = (int) ((second + 1) % upThen.length);
    counts.note(
        up,
        down,
        Math.clamp(lost + missing, 0, LOST_MAX),
        up - upThen[oldest],
        down - downThen[oldest]);
  }

  /// Bytes that were lost in the open window; below 0 if datagrams came late.
  private long lostIn(long datagrams) {
    if (datagrams == 0) {
      return 0;
    }
    long missing = session.expectedDatagrams() - windowExpected - datagrams;
    double bytes = missing * (double) (down - windowDown) / datagrams;
    return (long) Math.min(bytes, (double) LOST_MAX);
  }

  private void pass(long now) {
    if (now - second > upThen.length) {
      Arrays.fill(upThen, up);
      Arrays.fill(downThen, down);
      second = now;
    }
    while (second < now) {
      second++;
      int place = (int) (second % upThen.length);
      upThen[place] = up;
      downThen[place] = down;
    }
  }
}
