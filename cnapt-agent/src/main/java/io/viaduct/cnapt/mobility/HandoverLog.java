package io.viaduct.cnapt.mobility;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Keeps the last hundred handovers. Several changes before the SNAPT's answer count as one
/// handover with the newest destination, because a link that goes down causes several messages. The
/// data path's loop writes; any thread may read.
public final class HandoverLog {
  /// Largest number of kept handovers.
  static final int ENTRIES_MAX = 100;

  private static final double NS_PER_US = 1e3;
  private static final double US_PER_MS = 1e3;

  private final List<BiConsumer<String, Duration>> timings = new CopyOnWriteArrayList<>();
  private final ArrayDeque<Handover> entries = new ArrayDeque<>();
  private @Nullable Handover open;
  private long openedNs;
  private long count;

  /// Calls this with the cause and the duration of each handover from now on.
  public void timed(BiConsumer<String, Duration> timing) {
    timings.add(timing);
  }

  /// Records a detected change of network.
  public synchronized void begun(Instant at, long nowNs, String cause, String from, String to) {
    Handover begun = open;
    if (begun != null) {
      entries.removeLast();
      open = new Handover(begun.at(), begun.cause(), begun.from(), to, -1);
      entries.addLast(open);
    } else {
      open = new Handover(at, cause, from, to, -1);
      openedNs = nowNs;
      add(open);
    }
  }

  /// Records a move between two paths that work, which needs no answer. While a handover waits for
  /// its answer, the move is a part of it.
  public synchronized void moved(Instant at, long nowNs, String cause, String from, String to) {
    if (open != null) {
      begun(at, nowNs, cause, from, to);
    } else {
      add(new Handover(at, cause, from, to, 0));
      timings.forEach(timing -> timing.accept(cause, Duration.ZERO));
    }
  }

  private void add(Handover made) {
    count++;
    if (entries.size() == ENTRIES_MAX) {
      entries.removeFirst();
    }
    entries.addLast(made);
  }

  /// Records the SNAPT's answer.
  ///
  /// @return the handover that ends with it, or null if none was open
  public synchronized @Nullable Handover answered(long nowNs) {
    Handover begun = open;
    if (begun == null) {
      return null;
    }
    open = null;
    Duration lasted = Duration.ofNanos(nowNs - openedNs);
    timings.forEach(timing -> timing.accept(begun.cause(), lasted));
    Handover answered = begun.answered(Math.round((nowNs - openedNs) / NS_PER_US) / US_PER_MS);
    entries.removeLast();
    entries.addLast(answered);
    return answered;
  }

  /// Returns the number of handovers since the start, including those that are no longer kept.
  public synchronized long count() {
    return count;
  }

  /// Returns the kept handovers, newest last.
  public synchronized List<Handover> entries() {
    return List.copyOf(entries);
  }
}
