package io.viaduct.cnapt;

import io.viaduct.cnapt.egress.SilentLink;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.PathStatus;
import java.util.List;

/// Finds the links that are up, but by which nothing answers: a captive portal may stand in their
/// way.
final class SilentLinks {
  /// Time without an answer: longer than a change of network takes.
  private static final long SILENT_MS = 3_000;

  private static final String DEAD = "dead";

  private SilentLinks() {}

  /// Returns the silent ones of these links.
  ///
  /// @param paths those of all SNAPTs
  static List<SilentLink> of(List<UsableLink> links, List<PathStatus> paths) {
    return links.stream()
        .filter(link -> isSilent(link.name(), paths))
        .map(link -> new SilentLink(link.name(), link.index(), link.sources()))
        .toList();
  }

  private static boolean isSilent(String link, List<PathStatus> paths) {
    List<PathStatus> its = paths.stream().filter(path -> path.link().equals(link)).toList();
    return !its.isEmpty()
        && its.stream().allMatch(path -> path.state().equals(DEAD) && path.sinceMs() >= SILENT_MS);
  }
}
