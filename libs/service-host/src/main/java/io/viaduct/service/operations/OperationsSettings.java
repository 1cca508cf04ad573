package io.viaduct.service.operations;

/// The configuration keys `operations: {host, port}`.
///
/// @param host address that the endpoint listens on. The endpoint has no authentication, so keep it
///   local or behind a firewall
/// @param port TCP port; 0 takes a free one and logs it
public record OperationsSettings(String host, int port) {
  /// Checks the port's range.
  public OperationsSettings {
    if (host.isBlank()) {
      throw new IllegalArgumentException("host must name an address, such as 127.0.0.1, is blank");
    }
    if (port < 0 || port > 65535) {
      throw new IllegalArgumentException("port must be from 0 to 65535, got " + port);
    }
  }
}
