package io.viaduct.host.udp;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;

/// Takes what a socket receives; called on the socket's event loop.
public interface DatagramReader {
  /// One receive has brought the datagrams that follow: the time to read a clock, once for all of
  /// them.
  ///
  /// @param waitedNs how long the kernel has had the first of them: what this end took, not the
  ///   path
  default void burst(long waitedNs) {}

  /// One datagram.
  ///
  /// @param content its bytes, readable; the reader's until it returns, to change but not to retain
  /// @param from the peer; the same object for the same peer as long as the socket remembers it
  void datagram(ByteBuf content, InetSocketAddress from);

  /// Nothing more to receive for now, or the share of this wake-up is used.
  void batchEnd();

  /// Sending, which was refused with [SendResult#WOULD_BLOCK], is possible again.
  default void writable() {}
}
