package io.viaduct.cnapt.policy;

import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The line of one flow, and the paths that it holds on to. Owner: the data path's event loop.
///
/// Flows that follow the delay share one choice, so that they move together. Flows that follow rate
/// or cost hold their own: they would otherwise all leave a path that only one of them fills.
public final class FlowPlacement {
  private final PolicyLine line;
  private final ServiceClass serviceClass;
  private final SteadyPath byDelay;
  private final SteadyPath own;
  private final FullPath full = new FullPath();
  private final PathPreference preference = new Preference();
  private int taken = -1; // id of the first path of the last decision
  private @Nullable Decision last;

  FlowPlacement(PolicyLine line, ServiceClass serviceClass, SteadyPath byDelay, MoveLimit limit) {
    this.line = line;
    this.serviceClass = serviceClass;
    this.byDelay = byDelay;
    this.own = new SteadyPath(limit);
  }

  /// Returns the line that decides about the flow.
  public PolicyLine line() {
    return line;
  }

  /// Returns the decision for the packets from now on. It allocates, so it is called for a new flow
  /// and after each measurement of the paths, but not per packet.
  ///
  /// @param paths all paths of the session
  /// @param ageNs age of the flow
  /// @param flowBitPerSecond present rate of the flow; 0 if it is not measured. Needed only if
  ///   [Distribution#hasStepWhenFull]
  public Decision decide(List<PathSnapshot> paths, long ageNs, long flowBitPerSecond, long nowNs) {
    byDelay.at(nowNs);
    own.at(nowNs);
    boolean isFull =
        line.rule().method().hasStepWhenFull()
            && full.update(taken(paths), paths, flowBitPerSecond, nowNs);
    Decision decision = PathEvaluator.decide(line, serviceClass, ageNs, isFull, paths, preference);
    last = decision;
    taken = decision.paths().isEmpty() ? -1 : decision.paths().getFirst().id();
    return decision;
  }

  /// Returns the last decision; null before the first one.
  public @Nullable Decision last() {
    return last;
  }

  /// Returns what may lead to the next change of the path of the last decision.
  public SteadyPath.Rivalry rivalry(long nowNs) {
    Decision decision = last;
    boolean isShared = decision != null && decision.step().method().followsDelay();
    return (isShared ? byDelay : own).rivalry(nowNs);
  }

  // Not the path that `own` holds: flows that follow the delay or name their link hold none there.
  private @Nullable PathSnapshot taken(List<PathSnapshot> paths) {
    return paths.stream()
        .filter(path -> path.id() == taken && path.isAlive())
        .findAny()
        .orElse(null);
  }

  private final class Preference implements PathPreference {
    @Override
    public Optional<PathSnapshot> choose(Criterion criterion, List<PathSnapshot> paths) {
      return (criterion == Criterion.DELAY ? byDelay : own).choose(criterion, paths);
    }

    @Override
    public @Nullable PathSnapshot held(List<PathSnapshot> paths) {
      return own.held(paths);
    }
  }
}
