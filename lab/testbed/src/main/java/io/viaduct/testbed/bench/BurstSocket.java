package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.viaduct.testbed.libc.LibraryCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.net.InetAddress;

/// A UDP socket that sends and receives many datagrams with one system call (sendmmsg(2),
/// recvmmsg(2)). One call per packet would measure the sender instead of the path. For one thread
/// at a time. The constants are those of Linux on x86-64 and ARM64.
final class BurstSocket implements AutoCloseable {
  static final int BURST = 64;
  private static final int PACKET_ROOM = 2048;
  private static final int RECEIVE_BUFFER = 8 << 20;
  private static final long RECEIVE_TIMEOUT_US = 50_000;

  private static final int AF_INET = 2;
  private static final int SOCK_DGRAM = 2;
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVBUF = 8;
  private static final int SO_RCVTIMEO = 20;
  private static final int SO_RCVBUFFORCE = 33;
  private static final int MSG_WAITFORONE = 0x10000;

  private static final StructLayout PART =
      MemoryLayout.structLayout(ADDRESS.withName("base"), JAVA_LONG.withName("length"));
  private static final StructLayout MESSAGE = // struct mmsghdr: struct msghdr and a length
      MemoryLayout.structLayout(
          ADDRESS.withName("name"),
          JAVA_LONG.withName("nameLength"), // an int and padding
          ADDRESS.withName("parts"),
          JAVA_LONG.withName("partCount"),
          ADDRESS.withName("control"),
          JAVA_LONG.withName("controlLength"),
          JAVA_LONG.withName("flags"), // an int and padding
          JAVA_LONG.withName("received")); // an int and padding
  private static final long PARTS =
      MESSAGE.byteOffset(MemoryLayout.PathElement.groupElement("parts"));
  private static final long PART_COUNT =
      MESSAGE.byteOffset(MemoryLayout.PathElement.groupElement("partCount"));

  private final Arena arena = Arena.ofShared();
  private final MemorySegment packets = arena.allocate((long) BURST * PACKET_ROOM, 64);
  private final MemorySegment parts = arena.allocate(PART, BURST);
  private final MemorySegment messages = arena.allocate(MESSAGE, BURST);
  private final int file = LibraryCall.SOCKET.check(AF_INET, SOCK_DGRAM, 0);

  private BurstSocket() {
    for (int i = 0; i < BURST; i++) {
      parts.set(ADDRESS, PART.byteSize() * i, packet(i));
      messages.set(ADDRESS, MESSAGE.byteSize() * i + PARTS, parts.asSlice(PART.byteSize() * i));
      messages.set(JAVA_LONG, MESSAGE.byteSize() * i + PART_COUNT, 1);
    }
    size(PACKET_ROOM);
  }

  /// Opens a socket to an IPv4 address.
  static BurstSocket to(String address, int port) {
    var socket = new BurstSocket();
    byte[] ip = InetAddress.ofLiteral(address).getAddress();
    socket.at(LibraryCall.CONNECT, ip, port);
    return socket;
  }

  /// Opens a socket on every address of the namespace, with a buffer for bursts while the processor
  /// is busy.
  static BurstSocket on(int port) {
    var socket = new BurstSocket();
    MemorySegment room = socket.arena.allocateFrom(JAVA_INT, RECEIVE_BUFFER);
    if (!socket.allows(SO_RCVBUFFORCE, room)) {
      var unused = socket.allows(SO_RCVBUF, room); // up to net.core.rmem_max
    }
    MemorySegment timeout = socket.arena.allocateFrom(JAVA_LONG, 0, RECEIVE_TIMEOUT_US);
    if (!socket.allows(SO_RCVTIMEO, timeout)) {
      throw new IllegalStateException("setsockopt refuses SO_RCVTIMEO");
    }
    socket.at(LibraryCall.BIND, new byte[4], port);
    return socket;
  }

  private void at(LibraryCall call, byte[] ip, int port) {
    MemorySegment address = arena.allocate(16, 4); // struct sockaddr_in
    address.set(JAVA_SHORT, 0, (short) AF_INET);
    address.set(JAVA_SHORT, 2, Short.reverseBytes((short) port));
    MemorySegment.copy(ip, 0, address, JAVA_BYTE, 4, 4);
    call.check(file, address.address(), address.byteSize());
  }

  private boolean allows(int option, MemorySegment value) {
    return LibraryCall.SETSOCKOPT.call(file, SOL_SOCKET, option, value.address(), value.byteSize())
        == 0;
  }

  /// Sets the payload length of all further packets, in bytes.
  void size(int bytes) {
    for (int i = 0; i < BURST; i++) {
      parts.set(JAVA_LONG, PART.byteSize() * i + 8, bytes);
    }
  }

  /// Returns the payload of packet `index` of the next burst.
  MemorySegment packet(int index) {
    return packets.asSlice((long) index * PACKET_ROOM, PACKET_ROOM);
  }

  /// Sends the first packets of the burst. Packets that the socket refuses are lost.
  void send(int count) {
    int done = 0;
    while (done < count) {
      long first = messages.address() + done * MESSAGE.byteSize();
      done += Math.max(1, LibraryCall.SENDMMSG.call(file, first, count - done));
    }
  }

  /// Receives packets and returns their number, or 0 after 50 ms without a packet.
  int receive() {
    return Math.max(
        0, LibraryCall.RECVMMSG.call(file, messages.address(), BURST, MSG_WAITFORONE, 0));
  }

  @Override
  public void close() {
    LibraryCall.CLOSE.check(file, 0, 0);
    arena.close();
  }
}
