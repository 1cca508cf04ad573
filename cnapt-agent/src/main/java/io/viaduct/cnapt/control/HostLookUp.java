package io.viaduct.cnapt.control;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/// Finds the addresses of a host. Blocking.
@FunctionalInterface
public interface HostLookUp {
  /// Returns at least one address.
  ///
  /// @throws UnknownHostException if the host has none, or no resolver answers
  List<InetAddress> addresses(String host) throws UnknownHostException;
}
