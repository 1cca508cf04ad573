package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The two ends of a path: a link of this host and a place of the other one.
///
/// @param link null for a socket that the kernel routes
/// @param place position in [Remotes#places]
record PathEnds(@Nullable UsableLink link, int place) {
  /// Returns all pairs of a link and a place that it can reach, those of the first place first, so
  /// that a limit on their number takes the last places and not the last links. Without such a
  /// link, one pair per place, which the kernel routes.
  ///
  /// @param links empty if the kernel shall choose
  static List<PathEnds> of(List<UsableLink> links, Remotes peers) {
    List<PathEnds> pairs = new ArrayList<>();
    for (int place = 0; place < peers.places().size(); place++) {
      for (UsableLink link : links) {
        if (peers.of(link, place, false) != null) {
          pairs.add(new PathEnds(link, place));
        }
      }
    }
    return pairs.isEmpty() ? routed(peers) : List.copyOf(pairs);
  }

  /// Returns one pair per place, which the kernel routes.
  static List<PathEnds> routed(Remotes peers) {
    List<PathEnds> pairs = new ArrayList<>();
    for (int place = 0; place < peers.places().size(); place++) {
      pairs.add(new PathEnds(null, place));
    }
    return List.copyOf(pairs);
  }

  /// Returns whether a path has these ends. Its socket stays bound to the interface whose number
  /// and name are the same.
  boolean areOf(DevicePath path) {
    UsableLink bound = path.link;
    boolean sameLink =
        bound == null || link == null
            ? bound == link
            : bound.index() == link.index() && bound.name().equals(link.name());
    return sameLink && path.place == place;
  }

  /// Returns the name of the link, `any` if the kernel chooses it.
  String linkName() {
    return link == null ? "any" : link.name();
  }
}
