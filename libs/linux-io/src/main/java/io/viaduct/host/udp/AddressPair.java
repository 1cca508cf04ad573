package io.viaduct.host.udp;

import java.net.InetAddress;
import java.net.InetSocketAddress;

/// The address of a peer, with the local address that its datagrams came to. Datagrams to it leave
/// from that local address. It equals every address of the same peer, because
/// [InetSocketAddress#equals] knows nothing of the local one.
public final class AddressPair extends InetSocketAddress {
  private static final long serialVersionUID = 1;

  /// The local address as 16 bytes, big-endian; one of IPv4 is mapped (RFC 4291 section 2.5.5.2).
  final long localHigh;

  final long localLow;

  AddressPair(InetAddress peer, int port, long localHigh, long localLow) {
    super(peer, port);
    this.localHigh = localHigh;
    this.localLow = localLow;
  }

  /// Returns whether two equal addresses have the same local address, or both have none.
  public static boolean haveSameLocal(InetSocketAddress one, InetSocketAddress other) {
    if (one instanceof AddressPair first && other instanceof AddressPair second) {
      return first.localHigh == second.localHigh && first.localLow == second.localLow;
    }
    return !(one instanceof AddressPair) && !(other instanceof AddressPair);
  }
}
