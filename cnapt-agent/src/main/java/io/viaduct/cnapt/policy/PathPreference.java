package io.viaduct.cnapt.policy;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Chooses one of several paths: the best one of the moment ([#OF_THE_MOMENT]), or the one that an
/// earlier choice holds on to ([SteadyPath]).
public interface PathPreference {
  /// Chooses the path that is best at the moment.
  PathPreference OF_THE_MOMENT =
      new PathPreference() {
        @Override
        public Optional<PathSnapshot> choose(Criterion criterion, List<PathSnapshot> paths) {
          return best(criterion, paths);
        }

        @Override
        public @Nullable PathSnapshot held(List<PathSnapshot> paths) {
          return null;
        }
      };

  /// Returns a living path.
  ///
  /// @param paths the paths that may be chosen
  /// @return empty only if every path is dead
  Optional<PathSnapshot> choose(Criterion criterion, List<PathSnapshot> paths);

  /// Returns the path of the earlier choice, or null if there is none or it is dead.
  @Nullable PathSnapshot held(List<PathSnapshot> paths);

  /// Returns the best path of the best state: usable, losing, spare.
  static Optional<PathSnapshot> best(Criterion criterion, List<PathSnapshot> paths) {
    return paths.stream()
        .filter(PathSnapshot::isAlive)
        .min(Comparator.comparing(PathSnapshot::state).thenComparing(criterion.order()));
  }
}
