package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.session.PathUse;
import java.util.List;

/// Decides when the round trips of several paths are measured side by side, because packets are
/// moved by them. Owner: the data path's event loop.
///
/// - While the paths carry traffic, those that carry all the time are probed once a second. A probe
///   and its answer, 165 bytes over IPv4, are then at most 2 % of the traffic.
/// - A probe tells the SNAPT the round trip that was measured before it. If the newest measurement
///   has changed that clearly, another probe tells it, so that both ends move their packets.
/// - If one of them gets worse, every live path is probed, also a spare one, but at most every ten
///   seconds.
final class PathComparison {
  static final long TRAFFIC_NS = 1_000_000_000;
  static final long WORSE_NS = 10_000_000_000L;
  static final int BYTES_PER_PATH = 8_000;

  /// Least difference of round trips by which packets are moved.
  static final long NEWS_NS = 5_000_000;

  static final long NEWS_PAUSE_NS = 100_000_000;

  private long bytes;
  private long comparedNs;
  private long worseNs;

  PathComparison(long nowNs) {
    begin(nowNs);
  }

  /// Starts anew; the first comparison may come at once.
  void begin(long nowNs) {
    bytes = 0;
    comparedNs = nowNs - TRAFFIC_NS;
    worseNs = nowNs - WORSE_NS;
  }

  /// Notes traffic of any path.
  void carried(int some) {
    bytes += some;
  }

  /// Returns the time at which the traffic makes a comparison due, Long.MAX_VALUE without enough.
  ///
  /// @param paths number of paths
  long dueNs(int paths) {
    return paths > 1 && bytes >= (long) BYTES_PER_PATH * paths
        ? comparedNs + TRAFFIC_NS
        : Long.MAX_VALUE;
  }

  /// Returns whether the paths that carry must be probed now; the caller does it.
  boolean takeDue(int paths, long nowNs) {
    if (nowNs < dueNs(paths)) {
      return false;
    }
    bytes = 0;
    comparedNs = nowNs;
    return true;
  }

  /// Returns whether all paths must be probed, because one in use gets worse; the caller does it.
  boolean takeWorse(long nowNs) {
    if (nowNs - worseNs < WORSE_NS) {
      return false;
    }
    worseNs = nowNs;
    return true;
  }

  /// Returns whether the SNAPT must be told a round trip before the next probe is due.
  ///
  /// @param told the round trip that it knows, of a probe of `toldNs`
  static boolean isNews(long told, long smoothed, long toldNs, long nowNs) {
    long difference = Math.abs(smoothed - told);
    return difference > NEWS_NS && difference > told / 5 && nowNs - toldNs >= NEWS_PAUSE_NS;
  }

  /// Returns the number of paths that carry all the time.
  static int carrying(List<DevicePath> paths) {
    int carrying = 0;
    for (int i = 0; i < paths.size(); i++) {
      carrying += paths.get(i).use == PathUse.YES && paths.get(i).isAlive() ? 1 : 0;
    }
    return carrying;
  }
}
