package io.viaduct.cnapt.egress;

import java.net.InetAddress;
import java.util.List;

/// A link that is up, and by which no SNAPT answers.
///
/// @param name name of the interface, to which a socket is bound
/// @param index the kernel's number of the interface
/// @param sources addresses of this host on the link
public record SilentLink(String name, int index, List<InetAddress> sources) {
  /// Copies the list.
  public SilentLink {
    sources = List.copyOf(sources);
  }

  /// Returns whether datagrams to an address can leave by this link.
  boolean reaches(InetAddress to) {
    return sources.stream().anyMatch(each -> each.getClass() == to.getClass());
  }
}
