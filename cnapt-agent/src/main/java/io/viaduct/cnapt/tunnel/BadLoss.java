package io.viaduct.cnapt.tunnel;

/// Decides whether a path loses so many packets that it is hardly of use, and a spare one is worth
/// its cost: 10 % of the last ten seconds, until it is less than 5 %.
///
/// Traffic leaves such a path, and then nothing measures its loss. A measurement that has not
/// changed for a minute no longer counts: the path is tried again, and a path that still loses is
/// found out within some seconds. Owner: the data path's event loop.
final class BadLoss {
  static final double BAD_RATIO = 0.1;
  static final double HEALED_RATIO = 0.05;
  static final long TRUSTED_NS = 60_000_000_000L;

  private double ratio;
  private long changedNs;
  private boolean bad;

  /// Takes the loss of the last ten seconds, 0 to 1; called about once a second.
  void measured(double usualRatio, long nowNs) {
    if (usualRatio != ratio) {
      ratio = usualRatio;
      changedNs = nowNs;
      bad = usualRatio >= (bad ? HEALED_RATIO : BAD_RATIO);
    } else if (nowNs - changedNs >= TRUSTED_NS) {
      bad = false;
    }
  }

  /// Forgets everything, because the path has changed.
  void reset() {
    ratio = 0;
    bad = false;
  }

  boolean isBad() {
    return bad;
  }
}
