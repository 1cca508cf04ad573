package io.viaduct.cnapt.mobility;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The last hundred handovers. A change that is followed by another one before the SNAPT has
/// answered is one handover with the newest destination: a link that goes down reports itself
/// several times. Any thread may read; the data path's loop writes.
public final class HandoverLog {
  /// Handovers that are kept.
  static final int ENTRIES_MAX = 100;

  private static final double NS_PER_US = 1e3;
  private static final double US_PER_MS = 1e3;

  private final ArrayDeque<Handover> entries = new ArrayDeque<>();
  private @Nullable Handover open;
  private long openedNs;
  private long count;

  /// A change was noticed.
  public synchronized void begun(Instant at, long nowNs, String cause, String from, String to) {
    Handover begun = open;
    if (begun != null) {
      entries.removeLast();
      open = new Handover(begun.at(), begun.cause(), begun.from(), to, -1);
    } else {
      open = new Handover(at, cause, from, to, -1);
      openedNs = nowNs;
      count++;
      if (entries.size() == ENTRIES_MAX) {
        entries.removeFirst();
      }
    }
    entries.addLast(open);
  }

  /// The SNAPT has answered.
  ///
  /// @return the handover that this ends, null if none was open
  public synchronized @Nullable Handover answered(long nowNs) {
    Handover begun = open;
    if (begun == null) {
      return null;
    }
    open = null;
    Handover answered = begun.answered(Math.round((nowNs - openedNs) / NS_PER_US) / US_PER_MS);
    entries.removeLast();
    entries.addLast(answered);
    return answered;
  }

  /// Handovers since the start, also those that are not kept any more.
  public synchronized long count() {
    return count;
  }

  /// The kept ones, newest last.
  public synchronized List<Handover> entries() {
    return List.copyOf(entries);
  }
}
