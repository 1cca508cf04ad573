package io.viaduct.tunnel.history;

/// Whether request and response follow each other so closely, over a path so short, that the codec
/// would be a good part of what somebody waits for: in turn, eight times in a row, each answer and
/// each next packet within 300 µs. No wide-area path is so short, and what is sent in one direction
/// only takes no turns.
final class Exchange {
  static final long CLOSE_NS = 300_000;
  static final int TURNS = 8;

  private long sentNs;
  private long answeredNs;
  private boolean answered;
  private int turns;

  /// A packet for the peer has come.
  void sent(long nowNs) {
    boolean inTurn = answered && answeredNs - sentNs < CLOSE_NS && nowNs - answeredNs < CLOSE_NS;
    turns = inTurn ? Math.min(TURNS, turns + 1) : 0;
    sentNs = nowNs;
    answered = false;
  }

  /// Packets of the peer have come.
  void answered(long nowNs) {
    answeredNs = nowNs;
    answered = true;
  }

  boolean isClose() {
    return turns == TURNS;
  }
}
