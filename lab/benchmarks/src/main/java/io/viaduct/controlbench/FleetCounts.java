package io.viaduct.controlbench;

/// What the members of a fleet have met since their start. Confined to the event loop.
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
