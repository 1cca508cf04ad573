package io.viaduct.bridge.cluster;

import io.viaduct.usage.v1.BridgeAnswer;

/// A question to another bridge that waits for its answers.
interface Exchange {
  /// Takes an answer.
  ///
  /// @return whether no other one follows
  boolean onAnswer(BridgeAnswer answer);

  /// Called instead of an answer if the link has ended, or never stood.
  void onLost();
}
