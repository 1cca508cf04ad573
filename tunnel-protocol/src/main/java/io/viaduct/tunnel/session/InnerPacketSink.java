package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.flow.FlowState;
import org.jspecify.annotations.Nullable;

/// Where restored inner packets go (the TUN device, the NAPT).
public interface InnerPacketSink {
  /// Writable bytes that every packet has in front of it: a virtio-net header (12 bytes) fits.
  int HEADROOM = 12;

  /// One inner packet. The buffer is the session's and is valid during the call only; the callee
  /// may change the packet and the headroom in place.
  ///
  /// @param flow null for a packet that travelled without flow
  /// @param packet direct buffer; its indices mean nothing, `ipOffset ≥ HEADROOM` and `length` do
  /// @param gsoSize payload bytes per segment of a coalesced TCP packet, 0 for a plain packet
  /// @param checksumPartial the transport checksum field holds the folded sum of the pseudo header,
  ///   not complemented (virtio `NEEDS_CSUM`): the kernel, or
  ///   [io.viaduct.tunnel.wire.InternetChecksum#complete], finishes it. A NAPT that changes an
  ///   address adds the difference instead of subtracting it.
  void packet(
      @Nullable FlowState flow,
      ByteBuf packet,
      int ipOffset,
      int length,
      int gsoSize,
      boolean checksumPartial);
}
