package io.viaduct.snapt.group;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/// The hand-overs to this SNAPT that wait for their device, and those that were given up, so that a
/// request which comes after its own end is not begun. Owner: the group's thread.
final class Takings {
  // More than a member has open at a time; a request is not late by as many others.
  private static final int GIVEN_UP_MAX = 4_096;

  /// One hand-over.
  ///
  /// @param from id of the member
  /// @param number of the hand-over, at the member
  record Attempt(String from, long number) {}

  /// One that waits.
  interface Waiting {
    void giveUp();
  }

  private final Map<Attempt, Waiting> waiting = new HashMap<>();
  private final LinkedHashSet<Attempt> givenUp = new LinkedHashSet<>();

  /// @return false if it was given up, or is known
  boolean begin(Attempt attempt, Waiting begun) {
    return !givenUp.contains(attempt) && waiting.putIfAbsent(attempt, begun) == null;
  }

  void end(Attempt attempt) {
    waiting.remove(attempt);
  }

  /// Gives a hand-over up, unless it is taken; one that is not known is not begun later.
  void giveUp(Attempt attempt) {
    Waiting of = waiting.get(attempt);
    if (of != null) {
      of.giveUp();
    }
    givenUp.add(attempt);
    if (givenUp.size() > GIVEN_UP_MAX) {
      givenUp.removeFirst();
    }
  }
}
