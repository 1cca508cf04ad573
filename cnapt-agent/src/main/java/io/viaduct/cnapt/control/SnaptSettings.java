package io.viaduct.cnapt.control;

/// The configuration keys `snapt: {host, port, id}`: where to begin.
///
/// @param host name or address that the certificate must name; empty: only the bridge's list counts
/// @param port TCP port of the control connection
/// @param id common name that the certificate must carry; empty: any
public record SnaptSettings(String host, int port, String id) {
  /// Checks the port's range.
  public SnaptSettings {
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port must be from 1 to 65535, got " + port);
    }
  }
}
