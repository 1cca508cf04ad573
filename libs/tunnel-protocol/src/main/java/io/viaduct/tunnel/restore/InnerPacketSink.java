package io.viaduct.tunnel.restore;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.IpPacket;
import org.jspecify.annotations.Nullable;

/// Takes restored inner packets (the TUN device, the NAPT).
public interface InnerPacketSink {
  /// Writable bytes in front of every packet: a virtio-net header (12 bytes) fits.
  int HEADROOM = 12;

  /// Takes one inner packet. The buffer belongs to the session and is valid during the call only.
  /// The callee may change the packet and the headroom in place.
  ///
  /// @param flow null for a packet that travelled without flow
  /// @param packet in a direct buffer, with [#HEADROOM] in front
  void packet(@Nullable FlowState flow, IpPacket packet);
}
