package io.viaduct.host.udp;

import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;

/// Receives the datagrams of a socket; called on the socket's event loop.
public interface DatagramReader {
  /// Called once before the datagrams of one receive, so that one reading of the clock serves them
  /// all.
  ///
  /// @param waitedNs time that the first datagram waited in the kernel; it belongs to this host and
  ///   not to the path
  default void burst(long waitedNs) {}

  /// Called with one datagram.
  ///
  /// @param content its bytes, readable; the reader may change them until it returns, but must not
  ///   retain the buffer
  /// @param from the peer; the same object for the same peer while the socket remembers it. With
  ///   [UdpSettings#answersFromArrival] there is one object per local address, and it must be kept
  ///   to answer from that one
  void datagram(ByteBuf content, InetSocketAddress from);

  /// Called when no more datagrams are ready, or the share of this wake-up is used.
  void batchEnd();

  /// Called when sending is possible again after [SendResult#WOULD_BLOCK].
  default void writable() {}
}
