package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Where sealed datagrams go. Called by [TunnelSession#drain] on the session's event loop.
public interface DatagramSink {
  /// Whether the socket takes more; asked before each burst.
  boolean writable();

  /// A run of datagrams: each `segmentSize` bytes, the last one maybe shorter (UDP_SEGMENT).
  ///
  /// @param burst direct buffer; its ownership passes to the sink
  /// @param to the binding of a SNAPT's session, null for the agent, whose peer is fixed
  void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to);
}
