package io.viaduct.host.udp;

import io.viaduct.host.linux.Sockets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;

/// A `struct msghdr` with one `struct iovec` and room for control messages. It is laid out once and
/// reused for every call of one socket in one direction.
///
///     |0     |8            |16     |24          |32       |40             |48    |
///     |name  |name length  |iovec  |iovec count |control  |control length |flags |
///     |56: iovec base, length |72: control messages: length, level, type, data |
///
/// Sent control messages are the segment size at 72, and the local address at 96.
final class MessageHeader {
  private static final int NAME = 0;
  private static final int NAME_LENGTH = NAME + Long.BYTES;
  private static final int IOVEC = NAME_LENGTH + Long.BYTES;
  private static final int IOVEC_COUNT = IOVEC + Long.BYTES;
  private static final int CONTROL = IOVEC_COUNT + Long.BYTES;
  private static final int CONTROL_LENGTH = CONTROL + Long.BYTES;
  private static final int FLAGS = CONTROL_LENGTH + Long.BYTES;
  private static final int BASE = FLAGS + Long.BYTES;
  private static final int LENGTH = BASE + Long.BYTES;
  private static final int MESSAGE = LENGTH + Long.BYTES;
  private static final int MESSAGE_LEVEL = MESSAGE + Long.BYTES;
  private static final int MESSAGE_TYPE = MESSAGE_LEVEL + Integer.BYTES;
  private static final int MESSAGE_DATA = MESSAGE_TYPE + Integer.BYTES;
  // Room for a few control messages. Only SO_TIMESTAMPNS, UDP_GRO and the local address are
  // enabled;
  // the kernel would cut off further ones and not write past the end.
  private static final int MESSAGE_ROOM = 128;
  private static final int SIZE = MESSAGE + MESSAGE_ROOM;

  /// `CMSG_LEN` of the segment size; the next constant is its `CMSG_SPACE`.
  private static final long SEGMENT_LENGTH = Long.BYTES + 2 * Integer.BYTES + Short.BYTES;

  private static final int SEGMENT_SPACE = Long.BYTES + 2 * Integer.BYTES + Long.BYTES;

  static final int HEADER = Long.BYTES + 2 * Integer.BYTES;
  private static final int LOCAL = MESSAGE + SEGMENT_SPACE;
  private static final int MSG_TRUNC = 0x20;

  private final MemorySegment memory = Arena.ofAuto().allocate(SIZE, Long.BYTES);

  MessageHeader() {
    memory.set(ValueLayout.JAVA_LONG, IOVEC, memory.address() + BASE);
    memory.set(ValueLayout.JAVA_LONG, IOVEC_COUNT, 1);
  }

  long address() {
    return memory.address();
  }

  private MessageHeader data(long address, int bytes) {
    memory.set(ValueLayout.JAVA_LONG, BASE, address);
    memory.set(ValueLayout.JAVA_LONG, LENGTH, bytes);
    return this;
  }

  private MessageHeader name(long address, int bytes) {
    memory.set(ValueLayout.JAVA_LONG, NAME, address);
    memory.set(ValueLayout.JAVA_INT, NAME_LENGTH, bytes);
    return this;
  }

  /// Prepares the sending of one datagram to a peer.
  ///
  /// @param peer its slot
  MessageHeader datagram(PeerAddresses peers, long peer, long address, int bytes) {
    int local = local(memory, LOCAL, peers.info(), peers.memory(), peer);
    memory.set(ValueLayout.JAVA_LONG, CONTROL, local == 0 ? 0 : memory.address() + LOCAL);
    memory.set(ValueLayout.JAVA_LONG, CONTROL_LENGTH, local);
    return name(peers.memory().address() + peer, peers.length()).data(address, bytes);
  }

  /// Prepares the sending of a burst that the kernel cuts into datagrams.
  ///
  /// @param peer its slot
  MessageHeader burst(PeerAddresses peers, long peer, long address, int bytes, int segmentSize) {
    int local = local(memory, LOCAL, peers.info(), peers.memory(), peer);
    memory.set(ValueLayout.JAVA_LONG, CONTROL, memory.address() + MESSAGE);
    memory.set(ValueLayout.JAVA_LONG, CONTROL_LENGTH, SEGMENT_SPACE + local);
    memory.set(ValueLayout.JAVA_LONG, MESSAGE, SEGMENT_LENGTH);
    memory.set(ValueLayout.JAVA_INT, MESSAGE_LEVEL, Sockets.SOL_UDP);
    memory.set(ValueLayout.JAVA_INT, MESSAGE_TYPE, Sockets.UDP_SEGMENT);
    memory.set(ValueLayout.JAVA_SHORT, MESSAGE_DATA, (short) segmentSize);
    return name(peers.memory().address() + peer, peers.length()).data(address, bytes);
  }

  /// Writes the control message with the local address of a peer, if it has one.
  ///
  /// @param peer the peer's slot in `peers`
  /// @return `CMSG_SPACE` of it, 0 without a local address
  static int local(MemorySegment to, long at, PacketInfo info, MemorySegment peers, long peer) {
    int bytes = PeerAddresses.infoBytes(peers, peer);
    if (bytes == 0) {
      return 0;
    }
    to.set(ValueLayout.JAVA_LONG, at, HEADER + bytes);
    to.set(ValueLayout.JAVA_INT, at + Long.BYTES, info.level);
    to.set(ValueLayout.JAVA_INT, at + Long.BYTES + Integer.BYTES, info.type);
    MemorySegment.copy(peers, peer + PeerAddresses.INFO, to, at + HEADER, bytes);
    return aligned(HEADER + bytes);
  }

  /// Prepares the reception of one datagram, or of several merged ones, with their sender.
  MessageHeader receive(MemorySegment peer, long address, int bytesMax) {
    memory.set(ValueLayout.JAVA_LONG, CONTROL, memory.address() + MESSAGE);
    memory.set(ValueLayout.JAVA_LONG, CONTROL_LENGTH, MESSAGE_ROOM);
    memory.set(ValueLayout.JAVA_INT, FLAGS, 0);
    return name(peer.address(), (int) peer.byteSize()).data(address, bytesMax);
  }

  /// Returns the peer of a received datagram, with the local address that the kernel has added.
  InetSocketAddress peer(PeerAddresses peers, MemorySegment name) {
    PacketInfo info = peers.info();
    int at = find(info.level, info.type, info.bytes);
    return at < 0
        ? peers.decode(name)
        : peers.decode(name, info.high(memory, at), info.low(memory, at));
  }

  /// Returns the bytes of each received datagram but the last; `bytes` if none were merged.
  int segmentSize(int bytes) {
    int at = find(Sockets.SOL_UDP, Sockets.UDP_GRO, Integer.BYTES);
    int size = at < 0 ? 0 : memory.get(ValueLayout.JAVA_INT, at);
    return size > 0 ? size : bytes;
  }

  /// Returns the kernel's time of reception in nanoseconds of wall-clock time since 1970; 0 without
  /// a stamp.
  long stampNs() {
    int at = find(Sockets.SOL_SOCKET, Sockets.SO_TIMESTAMPNS, 2 * Long.BYTES);
    return at < 0
        ? 0
        : memory.get(ValueLayout.JAVA_LONG, at) * 1_000_000_000L
            + memory.get(ValueLayout.JAVA_LONG, at + Long.BYTES);
  }

  /// Finds the data of a received control message.
  ///
  /// @return their offset, or -1 if the message is missing or too short
  private int find(int level, int type, int dataBytes) {
    int end =
        MESSAGE + (int) Math.min(MESSAGE_ROOM, memory.get(ValueLayout.JAVA_LONG, CONTROL_LENGTH));
    int at = MESSAGE;
    while (at + HEADER <= end) {
      long length = memory.get(ValueLayout.JAVA_LONG, at);
      if (length < HEADER || length > end - at) {
        return -1;
      }
      if (memory.get(ValueLayout.JAVA_INT, at + Long.BYTES) == level
          && memory.get(ValueLayout.JAVA_INT, at + Long.BYTES + Integer.BYTES) == type) {
        return length >= HEADER + dataBytes ? at + HEADER : -1;
      }
      at += aligned((int) length);
    }
    return -1;
  }

  // CMSG_ALIGN
  private static int aligned(int length) {
    return length + Long.BYTES - 1 & -Long.BYTES;
  }

  /// Returns true if the receive buffer was too short.
  boolean isTruncated() {
    return (memory.get(ValueLayout.JAVA_INT, FLAGS) & MSG_TRUNC) != 0;
  }
}
