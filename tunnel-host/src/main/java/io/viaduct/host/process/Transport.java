package io.viaduct.host.process;

/// The transports whose sockets have owners.
public enum Transport {
  TCP("tcp"),
  UDP("udp");

  private final String table;

  Transport(String table) {
    this.table = table;
  }

  /// Name of the kernel's table for IPv4; the one for IPv6 has a 6 behind it.
  String table() {
    return table;
  }
}
