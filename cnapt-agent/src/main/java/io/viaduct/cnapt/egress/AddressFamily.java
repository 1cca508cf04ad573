package io.viaduct.cnapt.egress;

import java.nio.file.Files;
import java.nio.file.Path;

/// Of addresses, rules and routes, each of which exists per family.
enum AddressFamily {
  IPV4("-4", 32),
  IPV6("-6", 128);

  // Absent when the kernel has no IPv6 or has it switched off by `ipv6.disable=1`.
  private static final Path IPV6_ADDRESSES = Path.of("/proc/net/if_inet6");

  final String option;
  final int addressBits;

  AddressFamily(String option, int addressBits) {
    this.option = option;
    this.addressBits = addressBits;
  }

  boolean onThisHost() {
    return this == IPV4 || Files.exists(IPV6_ADDRESSES);
  }
}
