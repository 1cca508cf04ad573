package io.viaduct.tunnel.restore;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.compound.TcpFields;
import org.jspecify.annotations.Nullable;

/// A packet of a spread flow that waits for an earlier one: a TCP segment, a TCP superpacket, or a
/// UDP packet.
final class HeldPacket {
  /// Bytes that a packet counts beside its payload, about the size of its objects: the bound on
  /// what waits also bounds the number of packets.
  static final int OVERHEAD = 128;

  /// Header fields of a TCP segment; null for a UDP packet.
  final @Nullable TcpFields tcp;

  final InnerPacketSink sink;
  final long context;
  final int ecn;
  final int length;
  final long arrivedNs;
  final int sequence;
  final int endSequence;
  private final ByteBuf bytes;
  private final int at;

  /// The next packet in the order.
  @Nullable HeldPacket next;

  /// The packet that arrived after this one.
  @Nullable HeldPacket arrivedNext;

  /// True once it waits no more.
  boolean taken;

  /// Copies a packet.
  ///
  /// @param of header fields of a TCP segment, null for a UDP packet
  /// @param at position of the payload in `from`; TCP's options stand before it
  /// @param sequence its place in the order
  /// @param endSequence place of the next packet
  HeldPacket(
      ByteBufAllocator allocator,
      InnerPacketSink sink,
      long context,
      int ecn,
      @Nullable TcpFields of,
      byte[] from,
      int at,
      int length,
      int sequence,
      int endSequence,
      long nowNs) {
    this.sink = sink;
    this.context = context;
    this.ecn = ecn;
    this.length = length;
    this.sequence = sequence;
    this.endSequence = endSequence;
    this.arrivedNs = nowNs;
    int start = of != null && of.optionsBytes() > 0 ? of.optionsAt() : at;
    bytes = allocator.heapBuffer(at + length - start).writeBytes(from, start, at + length - start);
    int shift = bytes.arrayOffset() - start;
    tcp = of == null ? null : of.moved(shift);
    this.at = at + shift;
  }

  /// Returns the bytes that it counts of those that may wait.
  int cost() {
    return length + OVERHEAD;
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
