package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.tunnel.session.PathUse;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The links whose paths carry data. The data path's event loop writes; any thread may read.
final class CarryingLinks {
  private volatile Set<String> names = Set.of(); // written by the event loop

  /// Takes the paths after a decision about their use.
  void note(List<DevicePath> paths) {
    names =
        paths.stream()
            .filter(each -> each.use != PathUse.NO && each.isAlive())
            .map(DevicePath::linkName)
            .collect(Collectors.toSet());
  }

  Set<String> names() {
    return names;
  }

  /// Returns links in the order in which the control connection should try them: those that carry
  /// data first, spare ones last.
  List<UsableLink> ranked(List<UsableLink> links) {
    Set<String> first = names;
    Comparator<UsableLink> byUse = Comparator.comparing(link -> !first.contains(link.name()));
    return links.stream().sorted(byUse.thenComparing(UsableLink::isSpare)).toList();
  }
}
