package io.viaduct.cnapt.control;

/// The configuration keys `snapt: {host, port, id}`: the first SNAPT to connect to.
///
/// @param host host name or address, which the certificate must name; if empty, only the bridge's
///   list is used
/// @param port TCP port of the control connection
/// @param id common name that the certificate must have; empty accepts any
public record SnaptSettings(String host, int port, String id) {
  /// Checks the port's range.
  public SnaptSettings {
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port must be from 1 to 65535, got " + port);
    }
  }
}
