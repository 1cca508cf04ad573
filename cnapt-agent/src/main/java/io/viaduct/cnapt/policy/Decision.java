package io.viaduct.cnapt.policy;

import java.util.List;

/// The paths for a flow's packets.
///
/// @param step the step of the line's method that applies
/// @param mode use of the paths
/// @param paths the paths, the preferred one first; empty if no allowed path is alive
public record Decision(PolicyLine line, Step step, Mode mode, List<PathSnapshot> paths) {
  /// The use of the paths of a decision.
  public enum Mode {
    /// No packet can be sent.
    NONE,
    /// Every packet travels on the one path.
    ONE,
    /// Every packet travels on each of the paths.
    COPIES,
    /// Every packet travels on one of the paths, by expected arrival.
    SPREAD
  }

  /// Copies the list.
  public Decision {
    paths = List.copyOf(paths);
  }
}
