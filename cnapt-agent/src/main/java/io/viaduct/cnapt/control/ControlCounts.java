package io.viaduct.cnapt.control;

import io.viaduct.tunnel.control.v1.RefusalCode;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/// The counts of one control client. Any thread may read them.
public final class ControlCounts {
  private final AtomicLongArray failures = new AtomicLongArray(ControlFailure.values().length);
  private final AtomicLongArray refusals = new AtomicLongArray(RefusalCode.values().length);
  private final AtomicLong movesRefused = new AtomicLong();
  private final AtomicLong movesTurnedBack = new AtomicLong();

  void failed(ControlFailure why) {
    failures.incrementAndGet(why.ordinal());
  }

  void refused(RefusalCode code) {
    refusals.incrementAndGet(code == RefusalCode.UNRECOGNIZED ? 0 : code.getNumber());
  }

  void moveRefused() {
    movesRefused.incrementAndGet();
  }

  void moveTurnedBack() {
    movesTurnedBack.incrementAndGet();
  }

  /// Returns the number of connections that failed or ended for this reason.
  public long failures(ControlFailure why) {
    return failures.get(why.ordinal());
  }

  /// Returns the number of refusals with this code.
  public long refusals(RefusalCode code) {
    return refusals.get(code.getNumber());
  }

  /// Returns the number of hand-overs to SNAPTs that the device may not use.
  public long movesRefused() {
    return movesRefused.get();
  }

  /// Returns the number of hand-overs after which the device went on at the old SNAPT, because the
  /// new one was lost before it had the session.
  public long movesTurnedBack() {
    return movesTurnedBack.get();
  }
}
