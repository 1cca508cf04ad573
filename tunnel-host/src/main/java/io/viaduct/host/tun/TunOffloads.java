package io.viaduct.host.tun;

import io.viaduct.host.linux.IfTun;

/// What the kernel may leave undone in packets that it gives us. The sets are offered by
/// TUNSETOFFLOAD from the largest to none; the first that the kernel takes is in force.
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
  /// Nothing: every packet is whole.
  NONE(0);

  private final int flags;

  TunOffloads(int flags) {
    this.flags = flags;
  }

  /// The argument of TUNSETOFFLOAD.
  int flags() {
    return flags;
  }
}
