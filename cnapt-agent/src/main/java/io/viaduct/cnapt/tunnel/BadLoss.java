package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.path.FlapHold;
import io.viaduct.tunnel.path.LossSample;
import org.jspecify.annotations.Nullable;

/// Decides whether a direction of a path loses so many packets that it is hardly of use, and a
/// spare path is better: 10 % and more in all measurements of two seconds, until it is less than 5
/// % in five of them, which take five seconds at least.
///
/// Traffic leaves such a path, and then nothing measures its loss. Only what was measured counts,
/// and silence heals nothing: the path is tried again one minute after the last measurement. If it
/// still loses, that is found out within some seconds, and the next trial comes after 2, 4, then
/// always 8 minutes. A path that was good for half a minute after its trial begins with one minute
/// again. Owner: the data path's event loop.
final class BadLoss {
  static final double BAD_RATIO = 0.1;
  static final double HEALED_RATIO = 0.05;
  static final long BAD_NS = 2_000_000_000L;
  static final long HEALED_NS = 5_000_000_000L;
  static final int HEALED_MEASUREMENTS =
      5; // the probes of an idle path make one in a minute or two
  static final long UNTRIED_NS_MIN = 60_000_000_000L;
  static final long UNTRIED_NS_MAX = 8 * UNTRIED_NS_MIN;
  static final long GOOD_NS = 30_000_000_000L;
  private static final long NEVER = Long.MAX_VALUE;

  private FlapHold untried = untried();
  private long measuredNs = NEVER;
  private long contraryNs = NEVER; // since then all measurements speak against the present state
  private int contraries; // their number
  private boolean bad;

  private static FlapHold untried() {
    return new FlapHold(UNTRIED_NS_MIN, UNTRIED_NS_MAX, GOOD_NS);
  }

  /// Takes the newest measurement; called about once a second.
  ///
  /// @param newest null before the first one; the same one again says nothing
  void measured(@Nullable LossSample newest, long nowNs) {
    if (newest != null && newest.atNs() != measuredNs) {
      measuredNs = newest.atNs();
      took(newest.ratio());
    } else if (bad && untried.isOver(measuredNs, nowNs)) {
      changesTo(false);
    }
  }

  private void took(double ratio) {
    boolean contrary = bad ? ratio < HEALED_RATIO : ratio >= BAD_RATIO;
    if (!contrary) {
      contraryNs = NEVER;
      return;
    }
    if (contraryNs == NEVER) {
      contraryNs = measuredNs;
      contraries = 0;
    }
    contraries++;
    long contraryForNs = measuredNs - contraryNs;
    if (bad && contraryForNs >= HEALED_NS && contraries >= HEALED_MEASUREMENTS) {
      changesTo(false);
    } else if (!bad && contraryForNs >= BAD_NS) {
      changesTo(true);
      untried.changed(measuredNs);
    }
  }

  private void changesTo(boolean next) {
    bad = next;
    contraryNs = NEVER;
  }

  /// Forgets everything, because the path has changed.
  void reset() {
    untried = untried();
    measuredNs = NEVER;
    changesTo(false);
  }

  boolean isBad() {
    return bad;
  }

  /// Returns the time until the path is tried again, if nothing is measured until then; 0 if it
  /// does not lose badly.
  long untriedNs(long nowNs) {
    return bad ? Math.max(0, untried.holdNs(nowNs) - (nowNs - measuredNs)) : 0;
  }
}
