package io.viaduct.host.tun;

/// What became of a packet that was written to the kernel.
public enum WriteResult {
  /// The kernel has it.
  WRITTEN,
  /// Not now; [TunReader#writable()] will say when. The packet is still the caller's.
  WOULD_BLOCK,
  /// Never: the header contradicts the packet, or the interface is down. Counted by errno.
  REFUSED
}
