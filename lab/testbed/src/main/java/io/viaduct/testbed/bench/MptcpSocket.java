package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.viaduct.testbed.libc.LibraryCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;

/// A socket of Multipath TCP of the kernel (RFC 8684), which Java cannot open. It belongs to the
/// network namespace of the thread that opens it.
record MptcpSocket(int descriptor) {
  private static final int AF_INET = 2;
  private static final int SOCK_STREAM = 1;
  private static final int IPPROTO_MPTCP = 262;
  private static final int SOL_SOCKET = 1;
  private static final int SO_REUSEADDR = 2;
  private static final int SO_LINGER = 13;
  private static final int SO_RCVTIMEO = 20;
  private static final int SO_SNDTIMEO = 21;
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_NODELAY = 1;
  private static final int ADDRESS_BYTES = 16; // struct sockaddr_in
  private static final int ADDRESS_AT = 4;
  private static final int PORT_AT = 2;
  private static final int WAITING_MAX = 1;

  static MptcpSocket connect(InetSocketAddress to) {
    MptcpSocket socket = open();
    try (Arena call = Arena.ofConfined()) {
      LibraryCall.CONNECT.check(socket.descriptor, address(call, to).address(), ADDRESS_BYTES);
    }
    return socket;
  }

  static MptcpSocket listen(InetSocketAddress own) {
    MptcpSocket socket = open();
    try (Arena call = Arena.ofConfined()) {
      socket.set(call, SOL_SOCKET, SO_REUSEADDR);
      LibraryCall.BIND.check(socket.descriptor, address(call, own).address(), ADDRESS_BYTES);
      LibraryCall.LISTEN.check(socket.descriptor, WAITING_MAX, 0);
    }
    return socket;
  }

  private static MptcpSocket open() {
    return new MptcpSocket(LibraryCall.SOCKET.check(AF_INET, SOCK_STREAM, IPPROTO_MPTCP));
  }

  private static MemorySegment address(Arena arena, InetSocketAddress of) {
    MemorySegment address = arena.allocate(ADDRESS_BYTES, 4);
    address.set(JAVA_SHORT, 0, (short) AF_INET);
    address.set(JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), PORT_AT, (short) of.getPort());
    MemorySegment.copy(of.getAddress().getAddress(), 0, address, JAVA_BYTE, ADDRESS_AT, 4);
    return address;
  }

  /// Waits for a connection. The listening socket must stay open, because later subflows of the
  /// connection need it.
  MptcpSocket accept() {
    return new MptcpSocket(LibraryCall.ACCEPT.check(descriptor, 0, 0));
  }

  /// Returns the socket's own port.
  int port() {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment own = call.allocate(ADDRESS_BYTES, 4);
      MemorySegment length = call.allocate(JAVA_INT);
      length.set(JAVA_INT, 0, ADDRESS_BYTES);
      LibraryCall.GETSOCKNAME.check(descriptor, own.address(), length.address());
      return Short.toUnsignedInt(own.get(JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), PORT_AT));
    }
  }

  /// Bounds the wait of [#read], [#write] and [#accept].
  MptcpSocket waitsAtMost(int ms) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment patience = call.allocate(16, 8); // struct timeval
      patience.set(JAVA_LONG, 0, ms / 1000);
      patience.set(JAVA_LONG, 8, ms % 1000 * 1000L);
      for (int option : new int[] {SO_RCVTIMEO, SO_SNDTIMEO}) {
        LibraryCall.SETSOCKOPT.call(descriptor, SOL_SOCKET, option, patience.address(), 16);
      }
    }
    return this;
  }

  /// Sends small messages at once.
  MptcpSocket withoutDelay() {
    try (Arena call = Arena.ofConfined()) {
      set(call, IPPROTO_TCP, TCP_NODELAY);
    }
    return this;
  }

  private void set(Arena arena, int level, int option) {
    MemorySegment on = arena.allocate(JAVA_INT);
    on.set(JAVA_INT, 0, 1);
    LibraryCall.SETSOCKOPT.call(descriptor, level, option, on.address(), 4);
  }

  /// Returns the number of bytes read; 0 at the end of the stream, less for a failure.
  int read(MemorySegment into, long offset, long length) {
    return LibraryCall.READ.call(descriptor, into.address() + offset, length);
  }

  /// Returns the number of bytes written; less than 0 for a failure.
  int write(MemorySegment from, long offset, long length) {
    return LibraryCall.WRITE.call(descriptor, from.address() + offset, length);
  }

  /// Ends the connection at once, as a close of TCP does. Otherwise the kernel would take what the
  /// peer sends for a minute more.
  void abort() {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment linger = call.allocate(JAVA_INT, 2); // struct linger
      linger.setAtIndex(JAVA_INT, 0, 1);
      LibraryCall.SETSOCKOPT.call(descriptor, SOL_SOCKET, SO_LINGER, linger.address(), 8);
    }
    close();
  }

  void close() {
    LibraryCall.CLOSE.call(descriptor, 0, 0);
  }
}
