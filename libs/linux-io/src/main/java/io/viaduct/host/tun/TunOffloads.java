package io.viaduct.host.tun;

import io.viaduct.host.linux.IfTun;

/// Sets of work that the kernel may leave undone in the packets it hands over. TUNSETOFFLOAD is
/// tried with the largest set first; the first set that the kernel accepts is used.
public enum TunOffloads {
  /// Checksums, TCP superpackets (with ECN), UDP superpackets (Linux 6.2).
  CHECKSUM_TCP_UDP(
      IfTun.TUN_F_CSUM
          | IfTun.TUN_F_TSO4
          | IfTun.TUN_F_TSO6
          | IfTun.TUN_F_TSO_ECN
          | IfTun.TUN_F_USO4
          | IfTun.TUN_F_USO6),
  /// Checksums, TCP superpackets (with ECN).
  CHECKSUM_TCP(IfTun.TUN_F_CSUM | IfTun.TUN_F_TSO4 | IfTun.TUN_F_TSO6 | IfTun.TUN_F_TSO_ECN),
  /// Checksums only.
  CHECKSUM(IfTun.TUN_F_CSUM),
  /// No work is left: every packet is complete.
  NONE(0);

  private final int flags;

  TunOffloads(int flags) {
    this.flags = flags;
  }

  /// Returns the argument of TUNSETOFFLOAD.
  int flags() {
    return flags;
  }
}
