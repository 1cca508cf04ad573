package io.viaduct.host.netlink;

/// Receives the signal strength of wireless links.
@FunctionalInterface
public interface SignalListener {
  /// Called about once a second per wireless link.
  ///
  /// @param linkIndex the kernel's number of the link
  /// @param dBm signal strength, below zero: −50 is strong, −80 is weak
  void signal(int linkIndex, int dBm);
}
