package io.viaduct.sip.endpoint;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.SipFlow;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.SocketException;

/// Finds the local address that a packet to a peer would carry.
final class LocalAddress {
  /// Stands for a host without a route. The name never resolves (RFC 2606); responses use
  /// `received` and `rport` instead.
  private static final String NONE = "unrouted.invalid";

  private LocalAddress() {}

  /// Returns the local address of the route to a target. Connects a UDP socket to ask the routing
  /// table; nothing is sent.
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
