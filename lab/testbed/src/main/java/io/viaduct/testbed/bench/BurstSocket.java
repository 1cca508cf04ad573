package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// A UDP socket that sends and receives many datagrams with one system call (sendmmsg(2),
/// recvmmsg(2)). One call per packet would measure the sender instead of the path. For one thread.
final class BurstSocket implements AutoCloseable {
  static final int BURST = 64;
  private static final int PACKET_ROOM = 2048;
  private static final int RECEIVE_BUFFER = 8 << 20;
  private static final long RECEIVE_TIMEOUT_US = 50_000;

  private static final StructLayout PART =
      MemoryLayout.structLayout(ADDRESS.withName("base"), JAVA_LONG.withName("length"));
  private static final StructLayout MESSAGE = // struct mmsghdr: struct msghdr and a length
      MemoryLayout.structLayout(
          ADDRESS.withName("name"),
          JAVA_INT.withName("nameLength"),
          MemoryLayout.paddingLayout(4),
          ADDRESS.withName("parts"),
          JAVA_LONG.withName("partCount"),
          ADDRESS.withName("control"),
          JAVA_LONG.withName("controlLength"),
          JAVA_INT.withName("flags"),
          MemoryLayout.paddingLayout(4),
          JAVA_INT.withName("received"),
          MemoryLayout.paddingLayout(4));
  private static final long PARTS =
      MESSAGE.byteOffset(MemoryLayout.PathElement.groupElement("parts"));
  private static final long PART_COUNT =
      MESSAGE.byteOffset(MemoryLayout.PathElement.groupElement("partCount"));
  private static final long RECEIVED =
      MESSAGE.byteOffset(MemoryLayout.PathElement.groupElement("received"));

  private final Arena arena = Arena.ofShared();
  private final MemorySegment packets = arena.allocate((long) BURST * PACKET_ROOM, 64);
  private final MemorySegment parts = arena.allocate(PART, BURST);
  private final MemorySegment messages = arena.allocate(MESSAGE, BURST);
  private final int file = NativeSockets.socket();

  private BurstSocket() {
    for (int i = 0; i < BURST; i++) {
      parts.set(ADDRESS, PART.byteSize() * i, packets.asSlice((long) i * PACKET_ROOM, PACKET_ROOM));
      messages.set(ADDRESS, MESSAGE.byteSize() * i + PARTS, parts.asSlice(PART.byteSize() * i));
      messages.set(JAVA_LONG, MESSAGE.byteSize() * i + PART_COUNT, 1);
    }
    size(PACKET_ROOM);
  }

  static BurstSocket to(InetSocketAddress address) {
    var socket = new BurstSocket();
    NativeSockets.connect(socket.file, socket.address(address));
    return socket;
  }

  /// Opens a socket on every address of the namespace, with a buffer for bursts while the processor
  /// is busy.
  static BurstSocket on(int port) {
    var socket = new BurstSocket();
    Arena arena = socket.arena;
    MemorySegment room = arena.allocateFrom(JAVA_INT, RECEIVE_BUFFER);
    if (!NativeSockets.allows(socket.file, NativeSockets.SO_RCVBUFFORCE, room)) {
      NativeSockets.option(socket.file, NativeSockets.SO_RCVBUF, room); // up to net.core.rmem_max
    }
    NativeSockets.option(
        socket.file,
        NativeSockets.SO_RCVTIMEO,
        arena.allocateFrom(JAVA_LONG, 0, RECEIVE_TIMEOUT_US));
    NativeSockets.bind(socket.file, socket.address(new InetSocketAddress(port)));
    return socket;
  }

  private MemorySegment address(InetSocketAddress address) {
    MemorySegment bytes = arena.allocate(16, 4); // struct sockaddr_in
    bytes.set(JAVA_SHORT, 0, (short) NativeSockets.AF_INET);
    bytes.set(JAVA_SHORT, 2, Short.reverseBytes((short) address.getPort()));
    byte[] ip =
        address.getAddress().equals(wildcard()) ? new byte[4] : address.getAddress().getAddress();
    MemorySegment.copy(ip, 0, bytes, JAVA_BYTE, 4, 4);
    return bytes;
  }

  private static InetAddress wildcard() {
    return new InetSocketAddress(0).getAddress();
  }

  /// Sets the payload length of all further packets, in bytes.
  void size(int bytes) {
    for (int i = 0; i < BURST; i++) {
      parts.set(JAVA_LONG, PART.byteSize() * i + 8, bytes);
    }
  }

  /// Returns the payload of packet `index` of the next burst, or of the last received burst.
  MemorySegment packet(int index) {
    return packets.asSlice((long) index * PACKET_ROOM, PACKET_ROOM);
  }

  /// Sends the first packets of the burst. Packets that the socket refuses are lost.
  void send(int count) {
    int done = 0;
    while (done < count) {
      int taken =
          NativeSockets.send(file, messages.asSlice(done * MESSAGE.byteSize()), count - done);
      done += Math.max(1, taken);
    }
  }

  /// Receives packets and returns their number, or 0 after 50 ms without a packet.
  int receive() {
    return Math.max(0, NativeSockets.receive(file, messages, BURST));
  }

  /// Returns the length of a received packet, in bytes.
  int received(int index) {
    return messages.get(JAVA_INT, MESSAGE.byteSize() * index + RECEIVED);
  }

  @Override
  public void close() {
    NativeSockets.close(file);
    arena.close();
  }
}
