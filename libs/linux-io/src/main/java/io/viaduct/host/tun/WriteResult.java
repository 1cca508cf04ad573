package io.viaduct.host.tun;

/// Result of writing a packet to the kernel.
public enum WriteResult {
  /// The kernel accepted the packet.
  WRITTEN,
  /// The kernel's queue is full. The packet still belongs to the caller, and [TunReader#writable()]
  /// will be called.
  WOULD_BLOCK,
  /// The packet will never be accepted: the header contradicts the packet, or the interface is
  /// down. Counted by errno.
  REFUSED
}
