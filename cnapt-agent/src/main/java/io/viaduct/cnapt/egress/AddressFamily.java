package io.viaduct.cnapt.egress;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/// The address family of addresses, rules and routes.
enum AddressFamily {
  IPV4("-4", 32),
  IPV6("-6", 128);

  // The file is absent if the kernel has no IPv6, or if `ipv6.disable=1` switches it off.
  private static final Path IPV6_ADDRESSES = Path.of("/proc/net/if_inet6");

  final String option;
  final int addressBits;

  AddressFamily(String option, int addressBits) {
    this.option = option;
    this.addressBits = addressBits;
  }

  boolean isOnThisHost() {
    return this == IPV4 || Files.exists(IPV6_ADDRESSES);
  }

  /// Returns true for an address of this family.
  boolean includes(InetAddress address) {
    return address instanceof Inet4Address == (this == IPV4);
  }
}
