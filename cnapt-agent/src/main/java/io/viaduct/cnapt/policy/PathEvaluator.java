package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.links.LinkPattern;
import io.viaduct.cnapt.policy.Decision.Mode;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Evaluates a line for a flow: from the step of its method and the paths of the moment to a
/// decision. Has no state; what it holds on to is in the [PathPreference].
public final class PathEvaluator {
  // Main paper, section IV-A: a flow of high throughput needs 64 kbit/s and more.
  private static final long LOW_BIT_PER_SECOND = 64_000;

  // Enough for a video call, so that the cheapest path is not one that a call would fill.
  private static final long HIGH_BIT_PER_SECOND = 2_000_000;

  private PathEvaluator() {}

  /// Returns the decision for a flow.
  ///
  /// @param ageNs age of the flow
  /// @param isFull true if one path is not enough for the flow
  /// @param paths all paths of the session
  public static Decision decide(
      PolicyLine line,
      ServiceClass serviceClass,
      long ageNs,
      boolean isFull,
      List<PathSnapshot> paths,
      PathPreference preference) {
    Step step = line.rule().method().at(ageNs, isFull);
    return switch (step.method()) {
      case OWN -> one(line, step, own(step.link().orElseThrow(), paths));
      case THROUGHPUT -> one(line, step, preference.choose(Criterion.RATE, paths));
      case COST -> one(line, step, cheapest(serviceClass, paths, preference));
      case LOWEST_DELAY -> one(line, step, preference.choose(Criterion.DELAY, paths));
      case LOWEST_DELAY_COPY -> copyWhileLosing(line, step, paths, preference);
      case ALL -> copies(line, step, paths, preference);
      case PACKET -> spread(line, step, paths, preference);
    };
  }

  private static Decision one(PolicyLine line, Step step, Optional<PathSnapshot> path) {
    return path.map(each -> new Decision(line, step, Mode.ONE, List.of(each)))
        .orElseGet(() -> new Decision(line, step, Mode.NONE, List.of()));
  }

  // A link may have two paths, one per address family.
  private static Optional<PathSnapshot> own(LinkPattern link, List<PathSnapshot> paths) {
    return paths.stream()
        .filter(path -> path.isAlive() && link.matches(path.link()))
        .min(Criterion.DELAY.order());
  }

  // The flow itself takes the spare rate of its path, so the path that it holds counts as carrying.
  // Without a path that carries the flow, the one with the most spare rate is the least bad.
  private static Optional<PathSnapshot> cheapest(
      ServiceClass serviceClass, List<PathSnapshot> paths, PathPreference preference) {
    long need =
        switch (serviceClass) {
          case LT_LD, LT_HD -> LOW_BIT_PER_SECOND;
          case HT_LD, HT_HD -> HIGH_BIT_PER_SECOND;
        };
    PathSnapshot held = preference.held(paths);
    List<PathSnapshot> carrying =
        paths.stream()
            .filter(path -> path.state() == PathState.USABLE)
            .filter(path -> path.equals(held) || path.spareBitPerSecond() >= need)
            .toList();
    return carrying.isEmpty()
        ? preference.choose(Criterion.RATE, paths)
        : preference.choose(Criterion.COST, carrying);
  }

  private static Decision copyWhileLosing(
      PolicyLine line, Step step, List<PathSnapshot> paths, PathPreference preference) {
    Optional<PathSnapshot> first = preference.choose(Criterion.DELAY, paths);
    if (first.isEmpty() || first.get().state() != PathState.LOSING) {
      return one(line, step, first);
    }
    Optional<PathSnapshot> second = second(first.get(), paths, true);
    return second.isEmpty()
        ? one(line, step, first)
        : new Decision(line, step, Mode.COPIES, List.of(first.get(), second.get()));
  }

  private static Decision copies(
      PolicyLine line, Step step, List<PathSnapshot> paths, PathPreference preference) {
    Optional<PathSnapshot> first = preference.choose(Criterion.DELAY, paths);
    Optional<PathSnapshot> second = first.flatMap(path -> second(path, paths, false));
    return second.isEmpty()
        ? one(line, step, first)
        : new Decision(line, step, Mode.COPIES, List.of(first.orElseThrow(), second.get()));
  }

  // A path on another link fails independently of the first one, so it is preferred.
  private static Optional<PathSnapshot> second(
      PathSnapshot first, List<PathSnapshot> paths, boolean withSpare) {
    return paths.stream()
        .filter(path -> path.id() != first.id() && path.isAlive())
        .filter(path -> withSpare || path.state() != PathState.SPARE)
        .min(
            Comparator.comparing((PathSnapshot path) -> path.link().equals(first.link()))
                .thenComparing(PathSnapshot::state)
                .thenComparing(Criterion.DELAY.order()));
  }

  private static Decision spread(
      PolicyLine line, Step step, List<PathSnapshot> paths, PathPreference preference) {
    List<PathSnapshot> usable =
        new ArrayList<>(paths.stream().filter(path -> path.state() == PathState.USABLE).toList());
    if (usable.size() < 2) {
      return one(line, step, preference.choose(Criterion.RATE, paths));
    }
    usable.sort(Criterion.DELAY.order());
    return new Decision(line, step, Mode.SPREAD, usable);
  }
}
