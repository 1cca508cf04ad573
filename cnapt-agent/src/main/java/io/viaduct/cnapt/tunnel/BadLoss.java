package io.viaduct.cnapt.tunnel;

/// Decides whether a direction of a path loses so many packets that it is hardly of use, and a
/// spare path is worth its cost: 10 % and more in each measurement of two seconds, until it is less
/// than 5 % in each of five seconds.
///
/// Traffic leaves such a path, and then little measures its loss. A measurement that has not
/// changed for a minute no longer counts: the path is tried again, and a path that still loses is
/// found out within some seconds. Owner: the data path's event loop.
final class BadLoss {
  static final double BAD_RATIO = 0.1;
  static final double HEALED_RATIO = 0.05;
  static final long BAD_NS = 2_000_000_000L;
  static final long HEALED_NS = 5_000_000_000L;
  static final long TRUSTED_NS = 60_000_000_000L;
  private static final long NEVER = Long.MAX_VALUE;

  private double ratio;
  private long changedNs;
  private long contraryNs = NEVER; // since then all measurements speak against the present state
  private boolean bad;

  /// Takes the loss of about the last second, 0 to 1; called about once a second.
  void measured(double recentRatio, long nowNs) {
    if (recentRatio != ratio) {
      ratio = recentRatio;
      changedNs = nowNs;
      changed(nowNs);
    } else if (nowNs - changedNs >= TRUSTED_NS) {
      bad = false;
      contraryNs = NEVER;
    }
  }

  private void changed(long nowNs) {
    boolean contrary = bad ? ratio < HEALED_RATIO : ratio >= BAD_RATIO;
    if (!contrary) {
      contraryNs = NEVER;
    } else if (contraryNs == NEVER) {
      contraryNs = nowNs;
    } else if (nowNs - contraryNs >= (bad ? HEALED_NS : BAD_NS)) {
      bad = !bad;
      contraryNs = NEVER;
    }
  }

  /// Forgets everything, because the path has changed.
  void reset() {
    ratio = 0;
    contraryNs = NEVER;
    bad = false;
  }

  boolean isBad() {
    return bad;
  }
}
