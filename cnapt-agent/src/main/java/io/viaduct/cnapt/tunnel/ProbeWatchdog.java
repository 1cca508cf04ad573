package io.viaduct.cnapt.tunnel;

/// Notices that the probes of one path have stopped: the path is then under a critical failure
/// (seed 001 section 4), whatever else arrives by it. Owner: the data path's event loop.
///
/// A tick that comes late may be that of a busy processor, whose sockets hold the probes. Then they
/// have a moment to be read.
final class ProbeWatchdog {
  private static final long NEVER = Long.MAX_VALUE;
  private static final long LATE_NS = 10_000_000;

  private final long silenceNs;
  private final HoldTime hold;
  private long dueNs = NEVER;
  private boolean known;
  private boolean fired;
  private boolean excused;
  private long sinceNs;

  /// @param silenceNs time without a probe after which the path is left
  ProbeWatchdog(long silenceNs, long nowNs) {
    this.silenceNs = silenceNs;
    this.hold = new HoldTime(nowNs);
  }

  /// Records a probe. @return true if it is the first one, or the first one after a silence
  boolean probed(long nowNs) {
    dueNs = nowNs + silenceNs;
    excused = false;
    boolean found = !known || fired;
    if (fired) {
      hold.found(nowNs);
    }
    if (found) {
      sinceNs = nowNs;
    }
    known = true;
    fired = false;
    return found;
  }

  /// Returns whether the probes have stopped just now.
  boolean takeSilence(long nowNs) {
    if (!known || fired || nowNs < dueNs) {
      return false;
    }
    if (nowNs - dueNs > LATE_NS && !excused) {
      excused = true;
      dueNs = nowNs + LATE_NS;
      return false;
    }
    fired = true;
    sinceNs = nowNs;
    hold.left(nowNs);
    return true;
  }

  /// Returns whether a probe has ever arrived.
  boolean isKnown() {
    return known;
  }

  /// Returns whether the probes have stopped.
  boolean isFired() {
    return fired;
  }

  /// Returns whether probes arrive, and the hold time after a silence is over.
  boolean isReady(long nowNs) {
    return known && !fired && nowNs - hold.usableNs() >= 0;
  }

  /// Returns the time of the last change.
  long sinceNs() {
    return sinceNs;
  }

  /// Returns the time without a probe in ms, after the probes have stopped.
  long silentMs(long nowNs) {
    return (silenceNs + nowNs - sinceNs) / 1_000_000;
  }

  /// Returns the rest of the hold time in ms, 0 if it is over.
  long heldMs(long nowNs) {
    return Math.max(0, hold.usableNs() - nowNs) / 1_000_000;
  }

  /// Returns the end of the hold time if it lies ahead, Long.MAX_VALUE otherwise.
  long heldUntilNs(long nowNs) {
    return known && !fired && hold.usableNs() - nowNs > 0 ? hold.usableNs() : NEVER;
  }

  /// Returns the time at which something changes without a probe.
  long dueNs(long nowNs) {
    return known && !fired ? Math.min(dueNs, heldUntilNs(nowNs)) : NEVER;
  }
}
