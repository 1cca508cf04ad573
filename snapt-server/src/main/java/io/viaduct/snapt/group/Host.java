package io.viaduct.snapt.group;

import io.viaduct.snapt.napt.PublicAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;

/// The routes of this host for single public addresses. Blocks.
public interface Host {
  /// Returns whether sessions have IPv6 here.
  boolean hasIpv6();

  /// Leads packets for an address to this SNAPT's TUN device.
  ///
  /// @throws IOException if the host refuses; the message says why
  void here(PublicAddress address) throws IOException;

  /// Leads packets for an address to another member's host.
  ///
  /// @throws IOException if the host refuses; the message says why
  void away(PublicAddress address, GroupSettings.Member to) throws IOException;

  /// Removes the route of an address.
  ///
  /// @throws IOException if the host refuses; the message says why
  void forget(PublicAddress address) throws IOException;

  /// Removes the route of an address of one family.
  ///
  /// @throws IOException if the host refuses; the message says why
  void forget(InetAddress address) throws IOException;

  /// Returns the addresses of both families for which this interface has set routes, also before
  /// the process started.
  ///
  /// @throws IOException if the host refuses; the message says why
  List<InetAddress> routed() throws IOException;
}
