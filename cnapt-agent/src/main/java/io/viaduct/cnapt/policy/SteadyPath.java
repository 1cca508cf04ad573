package io.viaduct.cnapt.policy;

import io.viaduct.tunnel.path.FlapHold;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Holds on to one path for one or many flows, so that nothing oscillates. Reads no clock: the
/// owner sets the time with [#at].
///
/// - A dead path, and a losing one while another path is usable, is left at once.
/// - Any other change needs a path that is better by the margin of the [Criterion] during the whole
///   hold time.
/// - A spare path is left for a usable one after the hold time. It is kept while the other paths
///   only lose.
/// - The hold time is 2 s. If a change follows another one too soon (within 30 s and the hold
///   time), it doubles, up to 60 s.
public final class SteadyPath implements PathPreference {
  static final long HOLD_NS_MIN = 2_000_000_000L;
  static final long HOLD_NS_MAX = 60_000_000_000L;
  static final long FLAP_NS = 30_000_000_000L;
  private static final int NONE = -1;

  private final MoveLimit limit;
  private long nowNs;
  private int current = NONE;
  private int rival = NONE;
  private long rivalSinceNs;
  private final FlapHold hold = hold();
  private long moves;

  /// Returns the hold time of paths, without a change.
  static FlapHold hold() {
    return new FlapHold(HOLD_NS_MIN, HOLD_NS_MAX, FLAP_NS);
  }

  /// @param limit shared limit on voluntary moves of flows that would otherwise move together
  public SteadyPath(MoveLimit limit) {
    this.limit = limit;
  }

  /// Creates a choice that moves all its flows together, and so needs no limit.
  public SteadyPath() {
    this(MoveLimit.NONE);
  }

  /// Sets the time of the following choices.
  public SteadyPath at(long now) {
    nowNs = now;
    return this;
  }

  @Override
  public Optional<PathSnapshot> choose(Criterion criterion, List<PathSnapshot> paths) {
    @Nullable PathSnapshot best = PathPreference.best(criterion, paths).orElse(null);
    if (best == null) {
      rival = NONE;
      return Optional.empty(); // the choice is kept for a path that comes back
    }
    @Nullable PathSnapshot held = held(paths);
    if (held == null) {
      move(best);
      return Optional.of(best);
    }
    if (held.state() == PathState.LOSING && best.state() == PathState.USABLE) {
      move(best);
      return Optional.of(best);
    }
    if (best.id() == held.id() || !isBetter(criterion, best, held)) {
      rival = NONE;
      return Optional.of(held);
    }
    if (rival != best.id()) {
      rival = best.id();
      rivalSinceNs = nowNs;
    }
    if (hold.isOver(rivalSinceNs, nowNs) && limit.allows(nowNs)) {
      move(best);
      return Optional.of(best);
    }
    return Optional.of(held);
  }

  @Override
  public @Nullable PathSnapshot held(List<PathSnapshot> paths) {
    for (PathSnapshot path : paths) {
      if (path.id() == current && path.isAlive()) {
        return path;
      }
    }
    return null;
  }

  private static boolean isBetter(Criterion criterion, PathSnapshot best, PathSnapshot held) {
    if (held.state() == PathState.SPARE && best.state() != PathState.SPARE) {
      return best.state() == PathState.USABLE;
    }
    return criterion.isClearlyBetter(best, held);
  }

  private void move(PathSnapshot to) {
    boolean isFirst = current == NONE;
    rival = NONE;
    if (to.id() == current) {
      return; // it was dead, and has come back while no other path was alive
    }
    current = to.id();
    if (isFirst) {
      return;
    }
    hold.changed(nowNs);
    moves++;
  }

  /// A path that is better than the held one, and must stay so for the hold time.
  ///
  /// @param rival id of that path; −1 without one
  /// @param sinceNs time since which it is better
  /// @param holdNs hold time that a change would need now
  public record Rivalry(int rival, long sinceNs, long holdNs) {}

  /// Returns what may lead to the next change.
  public Rivalry rivalry(long now) {
    return new Rivalry(rival, rival == NONE ? now : rivalSinceNs, hold.holdNs(now));
  }

  /// Returns the number of changes of the path.
  public long moves() {
    return moves;
  }
}
