package io.viaduct.bridge.subscription;

import io.viaduct.sip.SipRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/// The last NOTIFYs of subscriptions that the endpoint was too busy to send, in the order of their
/// refusal. Thread-safe.
final class UnsentEndings {
  /// Time for which they are sent again: as long as a NOTIFY that was sent is repeated (RFC 3261
  /// section 17.1.2.2: Timer F).
  static final Duration KEPT = Duration.ofSeconds(32);

  /// Most at a time. One takes some 2 KiB.
  static final int PLACES = 4_096;

  /// @param until time after which a refused one is given up
  record Ending(SubscriptionDialog dialog, SipRequest last, Instant until) {}

  private final Deque<Ending> waiting = new ArrayDeque<>();

  /// Keeps one. @return false if there is no place
  synchronized boolean offer(Ending ending) {
    return waiting.size() < PLACES && waiting.add(ending);
  }

  /// Takes the earliest, at most `max`.
  synchronized List<Ending> take(int max) {
    List<Ending> taken = new ArrayList<>();
    while (taken.size() < max && !waiting.isEmpty()) {
      taken.add(waiting.remove());
    }
    return taken;
  }
}
