package io.viaduct.billing.credit;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/// The sessions that were just asked to give credit back. Giving back changes the credit, which
/// makes billing look at it again: without a pause, sessions and billing would ask each other as
/// fast as the network allows. Thread-safe.
final class Reauthorisations {
  /// The shortest interval of a SNAPT.
  static final Duration PAUSE = Duration.ofMillis(250);

  private final Map<SessionKey, Instant> asked = new LinkedHashMap<>(); // the oldest first

  /// Returns whether a session may be asked now, and notes that it is.
  synchronized boolean mayAsk(SessionKey session, Instant now) {
    Iterator<Instant> oldest = asked.values().iterator();
    while (oldest.hasNext() && !oldest.next().plus(PAUSE).isAfter(now)) {
      oldest.remove();
    }
    return asked.putIfAbsent(session, now) == null;
  }
}
