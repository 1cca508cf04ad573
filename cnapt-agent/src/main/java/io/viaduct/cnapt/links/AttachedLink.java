package io.viaduct.cnapt.links;

import java.net.InetAddress;
import java.util.List;

/// A link that is up and through which the main table has a default route.
///
/// @param sources usable addresses of the families that have a default route through this link, in
///   a stable order
public record AttachedLink(int index, String name, List<InetAddress> sources) {
  /// Copies the list.
  public AttachedLink {
    sources = List.copyOf(sources);
  }
}
