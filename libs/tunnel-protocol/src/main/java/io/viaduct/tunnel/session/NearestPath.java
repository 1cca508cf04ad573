package io.viaduct.tunnel.session;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.path.FlapHold;
import io.viaduct.tunnel.wire.ServiceClass;
import org.jspecify.annotations.Nullable;

/// Holds on to the path of a class that counts delay: of the paths in use the one with the least
/// delay ([SessionPath#delayUs]), so that nothing oscillates (docs/adr/0030). What a path is too
/// slow to carry counts as lost ([Shortfall]). Also knows the second path, for copies.
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
  private final Shortfall shortfall;
  private final FlapHold hold = hold();
  private SessionPath held;
  private @Nullable SessionPath rival;
  private long rivalSinceNs;
  private @Nullable SessionPath second;
  private @Nullable SessionPath secondOrSpare;

  NearestPath(SessionPaths paths, ServiceClass of, long nowNs) {
    this.paths = paths;
    shortfall = new Shortfall(of, nowNs);
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

  /// Returns the path for second copies of the last look; null without another one.
  @Nullable SessionPath second() {
    return second;
  }

  /// Returns the same, which may be a spare one.
  @Nullable SessionPath secondOrSpare() {
    return secondOrSpare;
  }

  /// Counts a packet that follows this choice.
  void offered(int bytes) {
    shortfall.offered(bytes);
  }

  /// Returns the reason of the present choice for a flow that follows it.
  PathReason reason(FlowState flow, long nowNs) {
    SessionPath better = rival;
    return new PathReason(
        isSlowerNearer(nowNs) ? PathReason.Kind.CARRIES : PathReason.Kind.DELAY,
        flow.path(),
        flow.copyPath(),
        flow.pathSinceNs(),
        better == null ? FlowState.NO_PATH : better.id,
        better == null ? nowNs : rivalSinceNs,
        hold.holdNs(nowNs));
  }

  /// Returns whether a path with less delay is too slow.
  private boolean isSlowerNearer(long nowNs) {
    for (SessionPath each : paths.usable()) {
      if (each.delayUs(nowNs) < held.delayUs(nowNs) && shortfall.of(each, held, nowNs) > 0) {
        return true;
      }
    }
    return false;
  }

  /// Compares the paths in use.
  void look(long nowNs) {
    shortfall.look(held, nowNs);
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
    lookForSecond(nowNs);
  }

  private SessionPath best(long nowNs) {
    SessionPath best = paths.usable()[0];
    double bestUs = countedUs(best, nowNs);
    for (SessionPath each : paths.usable()) {
      double eachUs = countedUs(each, nowNs);
      if (eachUs < bestUs) {
        best = each;
        bestUs = eachUs;
      }
    }
    return best;
  }

  private double countedUs(SessionPath path, long nowNs) {
    return path.delayUs(nowNs) + SessionPath.LOSS_US * shortfall.of(path, held, nowNs);
  }

  private boolean isClearlyBetter(SessionPath best, long nowNs) {
    double heldUs = countedUs(held, nowNs);
    double bestUs = countedUs(best, nowNs);
    return bestUs <= heldUs * BETTER_SHARE && bestUs <= heldUs - BETTER_US;
  }

  private void move(SessionPath to, long nowNs) {
    rival = null;
    if (to != held) {
      shortfall.left(held, nowNs);
      held = to;
      hold.changed(nowNs);
    }
  }

  private void lookForSecond(long nowNs) {
    second = secondOf(paths.usable(), nowNs);
    SessionPath spare = secondOf(paths.spare(), nowNs);
    boolean spareIsBetter =
        spare != null && (second == null || sharesLink(second) && !sharesLink(spare));
    secondOrSpare = spareIsBetter ? spare : second;
  }

  /// Returns the path for second copies among these: one of another link than the nearest path's if
  /// there is one, because it fails independently; of these the one with the least delay.
  private @Nullable SessionPath secondOf(SessionPath[] some, long nowNs) {
    SessionPath best = null;
    for (SessionPath each : some) {
      if (each != held && (best == null || isBetterSecond(each, best, nowNs))) {
        best = each;
      }
    }
    return best;
  }

  private boolean isBetterSecond(SessionPath one, SessionPath other, long nowNs) {
    return sharesLink(one) == sharesLink(other)
        ? one.delayUs(nowNs) < other.delayUs(nowNs)
        : sharesLink(other);
  }

  private boolean sharesLink(SessionPath path) {
    return path.link.equals(held.link);
  }
}
