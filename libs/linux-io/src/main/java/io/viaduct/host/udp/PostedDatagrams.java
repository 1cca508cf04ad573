package io.viaduct.host.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Copies of small datagrams to any peers, for one sendmmsg(2). Its memory is an array of
/// `struct mmsghdr`, and for each an iovec, the peer's `sockaddr`, the control message with the local
/// address, and the bytes. It is laid out once. Event loop only.
///
///     struct mmsghdr
///     |0     |8            |16     |24          |32       |40             |48    |56     |
///     |name  |name length  |iovec  |iovec count |control  |control length |flags |length |
final class PostedDatagrams {
  /// Most datagrams of one call: one burst of the kernel's other way (UDP_MAX_SEGMENTS).
  static final int COUNT_MAX = 64;

  /// Longest datagram. Every path carries it (RFC 791: 576 bytes with headers), so the kernel never
  /// refuses it as too long.
  static final int BYTES_MAX = 512;

  private static final int HEADER = 64;
  private static final int NAME = 0;
  private static final int NAME_LENGTH = NAME + Long.BYTES;
  private static final int IOVEC = NAME_LENGTH + Long.BYTES;
  private static final int IOVEC_COUNT = IOVEC + Long.BYTES;
  private static final int CONTROL = IOVEC_COUNT + Long.BYTES;
  private static final int CONTROL_LENGTH = CONTROL + Long.BYTES;

  private static final int PART = 2 * Long.BYTES;
  // CMSG_SPACE of the longer kind of PacketInfo.
  private static final int LOCAL = MessageHeader.HEADER + PacketInfo.BYTES_MAX + Integer.BYTES;
  private static final int PEER = 32; // a sockaddr of either family, rounded up

  private final MemorySegment headers =
      Arena.ofAuto().allocate((long) COUNT_MAX * HEADER, Long.BYTES);
  private final MemorySegment parts = Arena.ofAuto().allocate((long) COUNT_MAX * PART, Long.BYTES);
  private final MemorySegment peers = Arena.ofAuto().allocate((long) COUNT_MAX * PEER, Long.BYTES);
  private final MemorySegment locals =
      Arena.ofAuto().allocate((long) COUNT_MAX * LOCAL, Long.BYTES);
  private final MemorySegment room =
      Arena.ofAuto().allocate((long) COUNT_MAX * BYTES_MAX, Long.BYTES);
  private final ByteBuf bytes = Unpooled.wrappedBuffer(room.asByteBuffer());
  private int first;
  private int count;

  /// @param peerLength of the socket's `sockaddr`, in bytes
  PostedDatagrams(int peerLength) {
    for (int i = 0; i < COUNT_MAX; i++) {
      long at = (long) i * HEADER;
      headers.set(ValueLayout.JAVA_LONG, at + NAME, peers.address() + (long) i * PEER);
      headers.set(ValueLayout.JAVA_INT, at + NAME_LENGTH, peerLength);
      headers.set(ValueLayout.JAVA_LONG, at + IOVEC, parts.address() + (long) i * PART);
      headers.set(ValueLayout.JAVA_LONG, at + IOVEC_COUNT, 1);
      headers.set(ValueLayout.JAVA_LONG, at + CONTROL, locals.address() + (long) i * LOCAL);
      parts.set(ValueLayout.JAVA_LONG, (long) i * PART, room.address() + (long) i * BYTES_MAX);
    }
  }

  /// Copies a datagram.
  ///
  /// @param peer its slot
  void add(PeerAddresses of, long peer, ByteBuf datagram) {
    int length = datagram.readableBytes();
    parts.set(ValueLayout.JAVA_LONG, (long) count * PART + Long.BYTES, length);
    MemorySegment.copy(of.memory(), peer, peers, (long) count * PEER, PEER);
    int local = MessageHeader.local(locals, (long) count * LOCAL, of.info(), of.memory(), peer);
    headers.set(ValueLayout.JAVA_LONG, (long) count * HEADER + CONTROL_LENGTH, local);
    bytes.setBytes(count * BYTES_MAX, datagram, datagram.readerIndex(), length);
    count++;
  }

  boolean isFull() {
    return count == COUNT_MAX;
  }

  /// Returns the number of datagrams that have not left.
  int left() {
    return count - first;
  }

  /// Returns the address of the first `struct mmsghdr` that has not left.
  long address() {
    return headers.address() + (long) first * HEADER;
  }

  /// Removes the datagrams that have left, or one that was refused.
  ///
  /// @return their bytes
  long remove(int datagrams) {
    long removed = 0;
    for (int i = 0; i < datagrams; i++) {
      removed += parts.get(ValueLayout.JAVA_LONG, (long) (first + i) * PART + Long.BYTES);
    }
    first += datagrams;
    if (first == count) {
      first = 0;
      count = 0;
    }
    return removed;
  }
}
