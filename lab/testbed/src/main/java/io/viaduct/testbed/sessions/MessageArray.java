package io.viaduct.testbed.sessions;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.viaduct.host.linux.Sockets;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Messages for sendmmsg(2) or recvmmsg(2): the array of `struct mmsghdr`, and for each an iovec, a
/// room for control messages, and a room for its bytes. Constants of Linux on x86-64 and ARM64.
final class MessageArray {
  static final int COUNT = 64;

  /// Most bytes of a message.
  static final int ROOM = 1 << 16;

  // struct mmsghdr: a struct msghdr of 56 bytes, and the length of what has arrived
  private static final int HEADER = 64;
  private static final int NAME_LENGTH = 8;
  private static final int IOVEC = 16;
  private static final int IOVEC_COUNT = 24;
  private static final int CONTROL_AT = 32;
  private static final int CONTROL_LENGTH = 40;
  private static final int ARRIVED = 56;

  private static final int PART = 16;
  private static final int CONTROL_ROOM = 64;
  private static final int DATA = 16; // of a control message: length, level and type come before
  private static final int IP_PKTINFO = 8;
  private static final int PKTINFO_BYTES = 12; // interface, source address, destination address
  private static final int SPACE = 32; // CMSG_SPACE of a struct in_pktinfo

  private final MemorySegment headers;
  private final MemorySegment parts;
  private final MemorySegment controls;
  private final MemorySegment bytes;

  MessageArray(Arena arena) {
    headers = arena.allocate((long) COUNT * HEADER, 64);
    parts = arena.allocate((long) COUNT * PART, 64);
    controls = arena.allocate((long) COUNT * CONTROL_ROOM, 64);
    bytes = arena.allocate((long) COUNT * ROOM, 64);
    for (int i = 0; i < COUNT; i++) {
      headers.set(JAVA_LONG, header(i) + IOVEC, parts.address() + (long) i * PART);
      headers.set(JAVA_LONG, header(i) + IOVEC_COUNT, 1);
      parts.set(JAVA_LONG, (long) i * PART, bytes.address() + (long) i * ROOM);
    }
  }

  private static long header(int index) {
    return (long) index * HEADER;
  }

  /// Returns the address of a message, for a call that begins with it.
  long address(int index) {
    return headers.address() + header(index);
  }

  /// Returns the rooms of all messages, one after the other.
  MemorySegment bytes() {
    return bytes;
  }

  /// Prepares a message.
  ///
  /// @param peer its `struct sockaddr_in`
  /// @param source IPv4 address that it shall come from, in network order
  /// @param segmentSize of the datagrams that the kernel makes of it
  void sends(int index, MemorySegment peer, int length, int source, int segmentSize) {
    long at = header(index);
    headers.set(JAVA_LONG, at, peer.address());
    headers.set(JAVA_LONG, at + NAME_LENGTH, peer.byteSize());
    parts.set(JAVA_LONG, (long) index * PART + Long.BYTES, length);
    long control = (long) index * CONTROL_ROOM;
    controlMessage(control, DATA + PKTINFO_BYTES, Sockets.SOL_IP, IP_PKTINFO);
    controls.set(JAVA_INT, control + DATA, 0);
    controls.set(JAVA_INT, control + DATA + Integer.BYTES, source);
    boolean cut = length > segmentSize;
    if (cut) {
      controlMessage(control + SPACE, DATA + Short.BYTES, Sockets.SOL_UDP, Sockets.UDP_SEGMENT);
      controls.set(JAVA_SHORT, control + SPACE + DATA, (short) segmentSize);
    }
    headers.set(JAVA_LONG, at + CONTROL_AT, controls.address() + control);
    headers.set(JAVA_LONG, at + CONTROL_LENGTH, cut ? SPACE + DATA + Long.BYTES : SPACE);
  }

  private void controlMessage(long at, int length, int level, int type) {
    controls.set(JAVA_LONG, at, length);
    controls.set(JAVA_INT, at + Long.BYTES, level);
    controls.set(JAVA_INT, at + Long.BYTES + Integer.BYTES, type);
  }

  /// Prepares every message for reception.
  void receives() {
    for (int i = 0; i < COUNT; i++) {
      parts.set(JAVA_LONG, (long) i * PART + Long.BYTES, ROOM);
      headers.set(JAVA_LONG, header(i) + CONTROL_AT, controls.address() + (long) i * CONTROL_ROOM);
      headers.set(JAVA_LONG, header(i) + CONTROL_LENGTH, CONTROL_ROOM);
    }
  }

  /// Returns the bytes of a message that has arrived.
  int arrived(int index) {
    return headers.get(JAVA_INT, header(index) + ARRIVED);
  }

  /// Returns the size of the datagrams that the kernel has merged into a message (UDP_GRO).
  int segmentSize(int index) {
    long merged = headers.get(JAVA_LONG, header(index) + CONTROL_LENGTH);
    return merged < DATA + Integer.BYTES
        ? arrived(index)
        : controls.get(JAVA_INT, (long) index * CONTROL_ROOM + DATA);
  }
}
