package io.viaduct.cnapt.mobility;

import io.viaduct.tunnel.path.Carrier;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The last changes of the carrier, with their times; each is told in the log too. Any thread may
/// read; the data path's loop writes.
public final class CarrierLog {
  /// Changes that are kept.
  static final int ENTRIES_MAX = 20;

  private static final Logger LOG = LoggerFactory.getLogger(CarrierLog.class);
  private static final double NS_PER_MS = 1e6;

  private final InstantSource clock;
  private final ArrayDeque<CarrierChange> entries = new ArrayDeque<>();
  private final long[] counts = new long[Carrier.values().length];

  /// An empty log.
  public CarrierLog(InstantSource clock) {
    this.clock = clock;
  }

  /// Datagrams go by another carrier from now on.
  public synchronized void changed(Carrier to, long silentNs) {
    if (entries.size() == ENTRIES_MAX) {
      entries.removeFirst();
    }
    CarrierChange change = new CarrierChange(clock.instant(), to, milliseconds(silentNs), -1);
    entries.addLast(change);
    counts[to.ordinal()]++;
    LOG.warn(
        to == Carrier.CONTROL
            ? "UDP does not come through, nothing for {} ms: datagrams go in the control connection"
            : "datagrams go by UDP again, {} ms after the last one came",
        change.silentMs());
  }

  /// The first authentic datagram came by the carrier of the newest change.
  public synchronized void resumed(long afterNs) {
    CarrierChange change = entries.removeLast().resumed(milliseconds(afterNs));
    entries.addLast(change);
    LOG.info("the first datagram by {} came after {} ms", change.to(), change.resumedMs());
  }

  private static double milliseconds(long ns) {
    return Math.round(ns / NS_PER_MS * 10) / 10.0;
  }

  /// How often it changed to this one.
  public synchronized long count(Carrier to) {
    return counts[to.ordinal()];
  }

  /// The kept ones, newest last.
  public synchronized List<CarrierChange> entries() {
    return List.copyOf(entries);
  }
}
