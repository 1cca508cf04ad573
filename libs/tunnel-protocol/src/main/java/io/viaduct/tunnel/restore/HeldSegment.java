package io.viaduct.tunnel.restore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.compound.TcpFields;
import org.jspecify.annotations.Nullable;

/// A TCP segment, or a superpacket, that waits for an earlier one of its flow.
final class HeldSegment {
  final TcpFields tcp = new TcpFields();
  final InnerPacketSink sink;
  final long context;
  final int ecn;
  final int length;
  final long arrivedNs;
  final int endSequence;
  private final ByteBuf bytes;
  private final int at;
  @Nullable HeldSegment next;

  /// Copies a segment.
  ///
  /// @param at position of the payload in `from`; options stand before it
  /// @param endSequence TCP sequence behind the segment
  HeldSegment(
      ByteBufAllocator allocator,
      InnerPacketSink sink,
      long context,
      int ecn,
      TcpFields of,
      byte[] from,
      int at,
      int length,
      int endSequence,
      long nowNs) {
    this.sink = sink;
    this.context = context;
    this.ecn = ecn;
    this.length = length;
    this.endSequence = endSequence;
    this.arrivedNs = nowNs;
    int start = of.optionsBytes() > 0 ? of.optionsAt() : at;
    bytes = allocator.heapBuffer(at + length - start).writeBytes(from, start, at + length - start);
    tcp.copy(of, bytes.arrayOffset() - start);
    this.at = bytes.arrayOffset() + at - start;
  }

  int sequence() {
    return tcp.sequence();
  }

  byte[] bytes() {
    return bytes.array();
  }

  /// Returns the position of the payload in [#bytes].
  int at() {
    return at;
  }

  void release() {
    bytes.release();
  }
}
