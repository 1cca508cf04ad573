package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.viaduct.testbed.libc.LibraryCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.concurrent.locks.LockSupport;

/// An end of a Multipath TCP connection of the kernel (RFC 8684), which Java cannot open. Messages
/// follow each other in the byte stream.
final class MptcpEnd implements StreamEnd {
  private static final int NONE = -1;
  private static final int AF_INET = 2;
  private static final int SOCK_STREAM = 1;
  private static final int IPPROTO_MPTCP = 262;
  private static final int SOL_SOCKET = 1;
  private static final int SO_REUSEADDR = 2;
  private static final int SO_RCVTIMEO = 20;
  private static final int SO_SNDTIMEO = 21;
  private static final int IPPROTO_TCP = 6;
  private static final int TCP_NODELAY = 1;
  private static final int ADDRESS_BYTES = 16; // struct sockaddr_in
  private static final int BUFFER_BYTES = 65_536;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment outgoing = arena.allocate(BYTES);
  private final MemorySegment incoming = arena.allocate(BUFFER_BYTES);
  private final int socket;
  private final int listener;
  private int filled;
  private int taken;
  private volatile boolean isClosed;

  /// @param listener closed with the end; [#NONE] for none
  private MptcpEnd(int socket, int listener) {
    this.socket = socket;
    this.listener = listener;
    MemorySegment patience = arena.allocate(16, 8); // struct timeval
    patience.set(JAVA_LONG, 8, PATIENCE_MS * 1000L);
    for (int option : new int[] {SO_RCVTIMEO, SO_SNDTIMEO}) {
      LibraryCall.SETSOCKOPT.call(socket, SOL_SOCKET, option, patience.address(), 16);
    }
    set(arena, socket, IPPROTO_TCP, TCP_NODELAY);
  }

  /// Connects from the calling thread's namespace.
  static MptcpEnd connect(InetSocketAddress to) {
    int socket = LibraryCall.SOCKET.check(AF_INET, SOCK_STREAM, IPPROTO_MPTCP);
    try (Arena call = Arena.ofConfined()) {
      LibraryCall.CONNECT.check(socket, address(call, to).address(), ADDRESS_BYTES);
    }
    return new MptcpEnd(socket, NONE);
  }

  /// Listens in the calling thread's namespace.
  ///
  /// @return the socket, for [#accept]
  static int listen(InetSocketAddress own) {
    int socket = LibraryCall.SOCKET.check(AF_INET, SOCK_STREAM, IPPROTO_MPTCP);
    try (Arena call = Arena.ofConfined()) {
      set(call, socket, SOL_SOCKET, SO_REUSEADDR);
      LibraryCall.BIND.check(socket, address(call, own).address(), ADDRESS_BYTES);
      LibraryCall.LISTEN.check(socket, 1, 0);
    }
    return socket;
  }

  /// Waits for the connection. The listening socket stays open, because later subflows of the
  /// connection need it.
  static MptcpEnd accept(int listener) {
    return new MptcpEnd(LibraryCall.ACCEPT.check(listener, 0, 0), listener);
  }

  private static void set(Arena arena, int socket, int level, int option) {
    MemorySegment on = arena.allocate(JAVA_INT);
    on.set(JAVA_INT, 0, 1);
    LibraryCall.SETSOCKOPT.call(socket, level, option, on.address(), 4);
  }

  private static MemorySegment address(Arena arena, InetSocketAddress of) {
    InetAddress host = of.getAddress();
    MemorySegment address = arena.allocate(ADDRESS_BYTES, 4);
    address.set(JAVA_SHORT, 0, (short) AF_INET);
    address.set(JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN), 2, (short) of.getPort());
    MemorySegment.copy(host.getAddress(), 0, address, JAVA_BYTE, 4, 4);
    return address;
  }

  @Override
  public boolean isReady() {
    return true;
  }

  /// Waits while the kernel's buffer is full. After a failure the connection carries nothing more.
  @Override
  public void send(byte[] message) {
    MemorySegment.copy(message, 0, outgoing, JAVA_BYTE, 0, BYTES);
    int written = 0;
    while (written < BYTES && !isClosed) {
      int more = LibraryCall.WRITE.call(socket, outgoing.address() + written, BYTES - written);
      written += Math.max(0, more);
      rest(more);
    }
  }

  @Override
  public boolean receive(byte[] message) {
    if (filled - taken < BYTES) {
      MemorySegment.copy(incoming, taken, incoming, 0, filled - taken);
      filled -= taken;
      taken = 0;
      int more = LibraryCall.READ.call(socket, incoming.address() + filled, BUFFER_BYTES - filled);
      filled += Math.max(0, more);
      rest(more);
      if (filled < BYTES) {
        return false;
      }
    }
    MemorySegment.copy(incoming, JAVA_BYTE, taken, message, 0, BYTES);
    taken += BYTES;
    return true;
  }

  // A broken connection fails at once, again and again.
  private static void rest(int result) {
    if (result <= 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /// Ends a sender that waits for the kernel's buffer.
  @Override
  public void stop() {
    isClosed = true;
  }

  @Override
  public void close() {
    isClosed = true;
    LibraryCall.CLOSE.call(socket, 0, 0);
    if (listener != NONE) {
      LibraryCall.CLOSE.call(listener, 0, 0);
    }
    arena.close();
  }
}
