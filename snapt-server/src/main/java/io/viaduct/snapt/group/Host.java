package io.viaduct.snapt.group;

import io.viaduct.snapt.napt.PublicAddress;
import java.io.IOException;

/// The routes of this host for single public addresses. Blocks.
public interface Host {
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
}
