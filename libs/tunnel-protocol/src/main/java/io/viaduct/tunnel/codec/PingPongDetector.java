package io.viaduct.tunnel.codec;

/// Detects a close exchange: requests and responses in turn over a path so short that the codec
/// would be a large part of the waiting time. The condition is eight turns in a row, each answer
/// and each next packet within 300 µs. No wide-area path is so short, and one-way traffic takes no
/// turns.
final class PingPongDetector {
  static final long CLOSE_NS = 300_000;
  static final int TURNS = 8;

  private long sentNs;
  private long answeredNs;
  private boolean answered;
  private int turns;

  /// Notes a packet on its way to the peer.
  void sent(long nowNs) {
    boolean inTurn = answered && answeredNs - sentNs < CLOSE_NS && nowNs - answeredNs < CLOSE_NS;
    turns = inTurn ? Math.min(TURNS, turns + 1) : 0;
    sentNs = nowNs;
    answered = false;
  }

  /// Notes packets of the peer.
  void answered(long nowNs) {
    answeredNs = nowNs;
    answered = true;
  }

  boolean isPingPong() {
    return turns == TURNS;
  }
}
