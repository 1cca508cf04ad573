package io.viaduct.tunnel.session;

/// Counts the bytes that the sessions of one event loop keep in [RecentBursts].
final class KeptBytes {
  /// Two hundred sessions that each fill their own bound.
  static final int BYTES_MAX = 200 * RecentBursts.BYTES_MAX;

  private int bytes;

  boolean hasRoom(int more) {
    return bytes + more <= BYTES_MAX;
  }

  void take(int more) {
    bytes += more;
  }

  void giveBack(int less) {
    bytes -= less;
  }
}
