package io.viaduct.cnapt.tunnel;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Keeps the session of an end that another SNAPT has taken over, until nothing is under way to it
/// any more; one at a time. Owner: the data path's event loop.
final class Retirement {
  /// Time after which nothing is under way any more: the former SNAPT is told within 5 s that the
  /// packets from the Internet arrive at the other one.
  static final long LASTS_MS = 6_000;

  private final DataLoop at;
  private @Nullable CarryingSession retiring;
  private int number; // of the session that is kept, in their order

  Retirement(DataLoop at) {
    this.at = at;
  }

  /// Keeps a session. One that is still kept ends.
  ///
  /// @param lastsMs time for which it is kept
  void begin(CarryingSession kept, long lastsMs) {
    end();
    kept.retire();
    retiring = kept;
    int own = ++number;
    at.loop().schedule(() -> over(own), lastsMs, TimeUnit.MILLISECONDS);
  }

  private void over(int of) {
    if (of == number) { // not if another one has followed it, or the end was closed
      end();
    }
  }

  /// Returns the session that is kept, and keeps it no more; null if it has another receiver index.
  @Nullable CarryingSession take(int ownReceiverIndex) {
    CarryingSession kept = retiring;
    if (kept == null || !kept.hasIndex(ownReceiverIndex)) {
      return null;
    }
    retiring = null;
    number++;
    return kept;
  }

  /// Returns the session that is kept; null if there is none.
  @Nullable CarryingSession kept() {
    return retiring;
  }

  /// Returns whether a session is kept.
  boolean isUnderWay() {
    return retiring != null;
  }

  /// Ends the session that is kept.
  void end() {
    CarryingSession before = retiring;
    retiring = null;
    if (before != null) {
      before.close();
    }
  }
}
