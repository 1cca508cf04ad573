package io.viaduct.tunnel.session;

import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.terms.OuterHeader;

/// The bytes that one datagram of a path may have: the size of the outer IP packet that the search
/// has found, less the headers of the path's address family (docs/adr/0036).
final class PathBudget {
  final PathMtuSearch mtu;

  // The longer one counts until the family is known, so that no compound becomes too long then.
  private OuterHeader header = OuterHeader.IPV6;

  PathBudget(PathMtuSearch mtu) {
    this.mtu = mtu;
  }

  /// Sets the address family of the path.
  void header(OuterHeader of) {
    header = of;
  }

  OuterHeader header() {
    return header;
  }

  /// Returns the bytes of the outer IP and UDP headers of one datagram.
  int headerBytes() {
    return header.bytes();
  }

  /// Returns the largest datagram, in bytes of UDP payload.
  int datagramBytesMax() {
    return mtu.size() - header.bytes();
  }

  /// Returns the largest body of a compound in one datagram.
  int bodyBytesMax() {
    return header.bodyBytesMax(mtu.size());
  }

  /// Returns the body size at which a compound closes that may fill this percentage of the size.
  int bodyBytesTarget(int percent) {
    return header.bodyBytesTarget(mtu.size(), percent);
  }

  /// Returns the largest inner packet that always fits into one datagram.
  int innerMtu() {
    return header.innerMtu(mtu.size());
  }
}
