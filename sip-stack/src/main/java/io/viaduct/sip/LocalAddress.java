package io.viaduct.sip;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;

/// Which address of this host a packet to a peer would carry.
final class LocalAddress {
  /// For a host without a route: a name that resolves nowhere (RFC 2606). Answers find their way by
  /// `received` and `rport`.
  private static final String NONE = "unrouted.invalid";

  private LocalAddress() {}

  /// Asks the routing table by connecting a UDP socket, which sends nothing.
  static String towards(SipFlow target) {
    try (DatagramSocket probe = new DatagramSocket()) {
      probe.connect(target.remote().getAddress(), Math.max(target.remote().getPort(), 1));
      InetAddress local = probe.getLocalAddress();
      return local.isAnyLocalAddress() ? NONE : HostPort.numeric(local);
    } catch (SocketException | java.io.UncheckedIOException e) {
      return NONE;
    }
  }
}
