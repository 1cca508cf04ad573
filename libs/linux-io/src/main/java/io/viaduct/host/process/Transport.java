package io.viaduct.host.process;

/// Transport protocols with sockets that [SocketOwners] finds.
public enum Transport {
  TCP("tcp"),
  UDP("udp");

  private final String table;

  Transport(String table) {
    this.table = table;
  }

  /// Returns the name of the kernel's table for IPv4; a 6 is appended for IPv6.
  String table() {
    return table;
  }
}
