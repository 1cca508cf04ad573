package io.viaduct.tunnel.session;

/// Returns the socket of each path. A SNAPT has one socket for all paths; a device has one per
/// link.
@FunctionalInterface
public interface PathSinks {
  /// Returns the sink for datagrams of the path.
  DatagramSink of(int path);
}
