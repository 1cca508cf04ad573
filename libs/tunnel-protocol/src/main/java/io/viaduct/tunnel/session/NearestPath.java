package io.viaduct.tunnel.session;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.path.FlapHold;
import org.jspecify.annotations.Nullable;

/// Holds on to the path of the packets that count delay: of the paths in use the one with the least
/// delay ([SessionPath#delayUs]), so that nothing oscillates (docs/adr/0030).
///
/// - A path that packets may not leave by any more is left at once, which is no choice and does not
///   count as a change. A path that loses 5 % and more while the best one does not is left at once
///   too.
/// - Any other change needs a path that is better by 20 % and 5 ms during the whole hold time. It
///   is 0.5 s, and doubles up to 60 s if a change follows another one within 30 s and the hold
///   time.
final class NearestPath {
  static final long HOLD_NS_MIN = 500_000_000;
  static final long HOLD_NS_MAX = 60_000_000_000L;
  static final long FLAP_NS = 30_000_000_000L;
  static final double BETTER_SHARE = 0.8;
  static final double BETTER_US = 5_000;

  private final SessionPaths paths;
  private final FlapHold hold = hold();
  private SessionPath held;
  private @Nullable SessionPath rival;
  private long rivalSinceNs;

  NearestPath(SessionPaths paths) {
    this.paths = paths;
    held = paths.first();
  }

  /// Returns a hold time of this end's own choices, without a change.
  static FlapHold hold() {
    return new FlapHold(HOLD_NS_MIN, HOLD_NS_MAX, FLAP_NS);
  }

  /// Returns the path of the last look.
  SessionPath get() {
    return held;
  }

  /// Returns the reason of the present choice for a flow that follows it.
  PathReason reason(FlowState flow, long nowNs) {
    SessionPath better = rival;
    return new PathReason(
        PathReason.Kind.DELAY,
        flow.path(),
        flow.copyPath(),
        flow.pathSinceNs(),
        better == null ? FlowState.NO_PATH : better.id,
        better == null ? nowNs : rivalSinceNs,
        hold.holdNs(nowNs));
  }

  /// Compares the paths in use.
  void look(long nowNs) {
    SessionPath best = best(nowNs);
    if (!paths.isUsable(held)) {
      rival = null;
      held = best; // no choice, so it does not lengthen the hold time of the next one
    } else if (held.bad && !best.bad) {
      move(best, nowNs);
    } else if (!isClearlyBetter(best, nowNs)) {
      rival = null;
    } else if (best != rival) {
      rival = best;
      rivalSinceNs = nowNs;
    } else if (hold.isOver(rivalSinceNs, nowNs)) {
      move(best, nowNs);
    }
  }

  private SessionPath best(long nowNs) {
    SessionPath best = paths.usable()[0];
    for (SessionPath each : paths.usable()) {
      if (each.delayUs(nowNs) < best.delayUs(nowNs)) {
        best = each;
      }
    }
    return best;
  }

  private boolean isClearlyBetter(SessionPath best, long nowNs) {
    double heldUs = held.delayUs(nowNs);
    double bestUs = best.delayUs(nowNs);
    return bestUs <= heldUs * BETTER_SHARE && bestUs <= heldUs - BETTER_US;
  }

  private void move(SessionPath to, long nowNs) {
    rival = null;
    if (to != held) {
      held = to;
      hold.changed(nowNs);
    }
  }
}
