package io.viaduct.bridge.replication;

import io.viaduct.sip.SipFlow;

/// Decides which bridge acts for a user whose flow all bridges know: the one whose socket has the
/// flow; while that is away, one of the others.
@FunctionalInterface
public interface Duty {
  /// The duty of a bridge without others.
  Duty ALONE = (_, _) -> true;

  /// Returns whether this bridge has to act now.
  ///
  /// @param flow way to the user
  /// @param key spreads the users of a bridge that is away over the others, and over time
  boolean isOurs(SipFlow flow, String key);

  /// Returns whether users may become this bridge's own by time alone, because another bridge has
  /// been away for a short time.
  default boolean isMoving() {
    return false;
  }
}
