package io.viaduct.cnapt.tunnel;

/// Hears how the SNAPTs in use serve the flows of this host. Called on the data path's event loop.
public interface ServiceListener {
  /// Hears nothing.
  ServiceListener NONE = new ServiceListener() {};

  /// Called when a SNAPT may serve now, or not any more: it answers or is silent, it drains or does
  /// not, or a session has begun or ended.
  default void serviceChanged() {}

  /// Called for packets of this host while no SNAPT serves: each one with a session is silent, or
  /// drains. At most once per 200 ms, and not while a first answer is awaited.
  default void unserved() {}
}
