package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Takes sealed datagrams. Called by [TunnelSession#drain] on the session's event loop.
public interface DatagramSink {
  /// Returns whether the socket accepts more. Asked before each burst.
  boolean isWritable();

  /// Sends a run of datagrams of `segmentSize` bytes each; the last one may be shorter
  /// (UDP_SEGMENT).
  ///
  /// @param burst direct buffer that the sink now owns
  /// @param to the binding of a SNAPT's session, null for the agent, whose peer is fixed
  void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs);

  /// Sends as [#send] what a rule of the device binds to this path: a sink that keeps the burst
  /// lets it leave by no other path.
  default void sendBound(
      ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
    send(burst, segmentSize, to, nowNs);
  }

  /// Returns the size, in bytes, of the datagrams that the kernel refused as too long (EMSGSIZE)
  /// since the last call, or 0. The datagrams are lost.
  default int takeTooLong() {
    return 0;
  }
}
