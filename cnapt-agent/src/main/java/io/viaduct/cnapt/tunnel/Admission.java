package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.restore.InnerPacketSink;

/// Decides which packets of the other end this host takes.
@FunctionalInterface
public interface Admission {
  /// Takes all packets: a SNAPT sends those that are addressed to the device.
  Admission ALL = sink -> sink;

  /// Returns a sink that passes on what this host takes.
  InnerPacketSink before(InnerPacketSink sink);
}
