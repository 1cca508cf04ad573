package io.viaduct.bridge.subscription;

import java.time.Instant;
import java.util.Collections;
import java.util.Iterator;
import java.util.function.Predicate;

/// The ticks of a notifier's clock, four of which make a second. A tick looks at the subscriptions
/// that are due. After a change that concerns all of them it looks at all, in parts: a round, which
/// is finished before the next one begins, so a change that comes often keeps nobody from his turn.
/// No tick holds the lock of the table for longer than one look takes. Used by one thread.
public final class NotifierTick {
  /// Most NOTIFYs of one tick: when the list of SNAPTs changes, all devices get one, and requests
  /// need the processor too.
  static final int SENT_MAX = 1_000;

  /// Most subscriptions of one tick of a round: those of other bridges need a look, but no NOTIFY.
  static final int LOOKS_MAX = 10_000;

  private final SubscriptionTable<?> table;
  private Iterator<DialogKey> round = Collections.emptyIterator();
  private boolean isRoundWanted;

  public NotifierTick(SubscriptionTable<?> table) {
    this.table = table;
  }

  /// @param isForAll whether something has changed for all subscriptions
  /// @param look sends what is due for a subscription; returns whether it sent something
  public void run(Instant now, boolean isForAll, Predicate<DialogKey> look) {
    int left = SENT_MAX;
    for (DialogKey key : table.due(now, SENT_MAX)) {
      left -= look.test(key) ? 1 : 0;
    }
    isRoundWanted |= isForAll;
    if (isRoundWanted && !round.hasNext()) {
      isRoundWanted = false;
      round = table.keys();
    }
    for (int looks = 0; looks < LOOKS_MAX && left > 0 && round.hasNext(); looks++) {
      left -= look.test(round.next()) ? 1 : 0;
    }
  }
}
