package io.viaduct.cnapt.mobility;

import io.viaduct.tunnel.path.Carrier;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the last changes of the carrier, and logs each of them. The data path's loop writes; any
/// thread may read.
public final class CarrierLog {
  /// Largest number of kept changes.
  static final int ENTRIES_MAX = 20;

  private static final Logger LOG = LoggerFactory.getLogger(CarrierLog.class);
  private static final double NS_PER_MS = 1e6;

  private final InstantSource clock;
  private final ArrayDeque<CarrierChange> entries = new ArrayDeque<>();
  private final long[] counts = new long[Carrier.values().length];

  /// Creates an empty log.
  public CarrierLog(InstantSource clock) {
    this.clock = clock;
  }

  /// Records a change of the carrier.
  public synchronized void changed(Carrier to, long silentNs) {
    if (entries.size() == ENTRIES_MAX) {
      entries.removeFirst();
    }
    CarrierChange change = new CarrierChange(clock.instant(), to, milliseconds(silentNs), -1);
    entries.addLast(change);
    counts[to.ordinal()]++;
    LOG.warn(
        to == Carrier.CONTROL
            ? "UDP does not come through, nothing arrived for {} ms: the control connection carries the datagrams"
            : "datagrams are carried by UDP again, {} ms after the last arrival",
        change.silentMs());
  }

  /// Records the first authentic datagram on the carrier of the newest change.
  public synchronized void resumed(long afterNs) {
    CarrierChange change = entries.removeLast().resumed(milliseconds(afterNs));
    entries.addLast(change);
    LOG.info("the first datagram by {} came after {} ms", change.to(), change.resumedMs());
  }

  private static double milliseconds(long ns) {
    return Math.round(ns / NS_PER_MS * 10) / 10.0;
  }

  /// Returns the number of changes to this carrier.
  public synchronized long count(Carrier to) {
    return counts[to.ordinal()];
  }

  /// Returns the kept changes, newest last.
  public synchronized List<CarrierChange> entries() {
    return List.copyOf(entries);
  }
}
