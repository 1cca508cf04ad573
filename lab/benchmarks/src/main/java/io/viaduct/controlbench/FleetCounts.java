package io.viaduct.controlbench;

/// Counts of the events of a fleet since its start. Confined to the event loop.
final class FleetCounts {
  /// Requests, and those that were sent again.
  long sent;

  long retransmissions;

  /// Answers 503.
  long refused;

  /// Requests without an answer after 64*T1.
  long unanswered;

  /// ICMP errors.
  long unreachable;

  /// Messages that the guard refused.
  long malformed;

  void sent(boolean isAgain) {
    sent++;
    retransmissions += isAgain ? 1 : 0;
  }
}
