package io.viaduct.host.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/// System calls by way of libc. As in the kernel, a result below zero is `-errno`.
///
/// Each owner has its own instance, because the place where errno is captured is not shared; an
/// instance belongs to one thread at a time. Memory is passed as an address. Callers that block
/// must not run on an event loop or a virtual thread.
///
/// To capture errno costs an object of the JDK's per call wherever profiles come from a start cache
/// (docs/measurements.md, "Garbage per stage"). So the calls of the packet path are made without,
/// and once more with it if they fail.
public final class SystemCalls {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  // One shape for all, with as many arguments as the longest list (setsockopt): to link one takes
  // milliseconds of a start, and a register too many is not looked at by the callee. Linux passes
  // variadic arguments (open, ioctl) in the same registers.
  private static final FunctionDescriptor SHAPE =
      FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private static final MethodHandle CALL =
      LINKER.downcallHandle(SHAPE, Linker.Option.captureCallState("errno"));

  private static final MethodHandle LEAN = LINKER.downcallHandle(SHAPE);

  private static final MemorySegment OPEN = LINKER.defaultLookup().findOrThrow("open");
  private static final MemorySegment CLOSE = LINKER.defaultLookup().findOrThrow("close");
  private static final MemorySegment IOCTL = LINKER.defaultLookup().findOrThrow("ioctl");
  private static final MemorySegment READ = LINKER.defaultLookup().findOrThrow("read");
  private static final MemorySegment WRITE = LINKER.defaultLookup().findOrThrow("write");
  private static final MemorySegment SOCKET = LINKER.defaultLookup().findOrThrow("socket");
  private static final MemorySegment BIND = LINKER.defaultLookup().findOrThrow("bind");
  private static final MemorySegment GETSOCKNAME =
      LINKER.defaultLookup().findOrThrow("getsockname");
  private static final MemorySegment SETSOCKOPT = LINKER.defaultLookup().findOrThrow("setsockopt");
  private static final MemorySegment GETSOCKOPT = LINKER.defaultLookup().findOrThrow("getsockopt");
  private static final MemorySegment SENDMSG = LINKER.defaultLookup().findOrThrow("sendmsg");
  private static final MemorySegment RECVMSG = LINKER.defaultLookup().findOrThrow("recvmsg");
  private static final MemorySegment UNSHARE = LINKER.defaultLookup().findOrThrow("unshare");
  private static final MemorySegment UMASK = LINKER.defaultLookup().findOrThrow("umask");

  // Collected with this object: nothing else may hold its address.
  private final MemorySegment captured = Arena.ofAuto().allocate(CAPTURE);

  /// open(2).
  public int open(String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return call(OPEN, arena.allocateFrom(path).address(), flags, 0);
    }
  }

  /// close(2). The descriptor is gone whatever the result.
  public int close(int fd) {
    return call(CLOSE, fd, 0, 0);
  }

  /// ioctl(2) with a pointer or a number as its argument.
  public int ioctl(int fd, long request, long argument) {
    return call(IOCTL, fd, request, argument);
  }

  /// read(2), once: an error that is told only once is not lost.
  public int read(int fd, long address, int bytes) {
    return call(READ, fd, address, bytes);
  }

  /// read(2) of a packet.
  public int readPacket(int fd, long address, int bytes) {
    return packetCall(READ, fd, address, bytes);
  }

  /// read(2) behind a packet: what fails is nearly always "no more", and `-EAGAIN` whatever it is;
  /// [#readPacket] of the next wake-up is told.
  public int readMore(int fd, long address, int bytes) {
    return orNoMore(lean(READ, fd, address, bytes));
  }

  /// write(2).
  public int write(int fd, long address, int bytes) {
    return packetCall(WRITE, fd, address, bytes);
  }

  /// socket(2).
  public int socket(int family, int type, int protocol) {
    return call(SOCKET, family, type, protocol);
  }

  /// bind(2).
  public int bind(int fd, long address, int bytes) {
    return call(BIND, fd, address, bytes);
  }

  /// getsockname(2); `bytes` is the address of a socklen_t.
  public int getsockname(int fd, long address, long bytes) {
    return call(GETSOCKNAME, fd, address, bytes);
  }

  /// setsockopt(2).
  public int setsockopt(int fd, int level, int option, long address, int bytes) {
    return call(SETSOCKOPT, fd, level, option, address, bytes);
  }

  /// setsockopt(2) of an int.
  public int setsockopt(int fd, int level, int option, int value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocateFrom(JAVA_INT, value);
      return setsockopt(fd, level, option, number.address(), Integer.BYTES);
    }
  }

  /// getsockopt(2) of an int that is not negative.
  public int getsockopt(int fd, int level, int option) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_INT);
      MemorySegment bytes = arena.allocateFrom(JAVA_INT, Integer.BYTES);
      int result = call(GETSOCKOPT, fd, level, option, value.address(), bytes.address());
      return result < 0 ? result : value.get(JAVA_INT, 0);
    }
  }

  /// sendmsg(2) with a `struct msghdr`.
  public int sendmsg(int fd, long message, int flags) {
    return packetCall(SENDMSG, fd, message, flags);
  }

  /// recvmsg(2) with a `struct msghdr`.
  public int recvmsg(int fd, long message, int flags) {
    return packetCall(RECVMSG, fd, message, flags);
  }

  /// recvmsg(2) behind datagrams, as [#readMore].
  public int recvmsgMore(int fd, long message, int flags) {
    return orNoMore(lean(RECVMSG, fd, message, flags));
  }

  /// unshare(2): the calling thread, which must not be a virtual one, leaves a namespace for a new
  /// one.
  public int unshare(int flags) {
    return call(UNSHARE, flags, 0, 0);
  }

  /// umask(2): files and directories that this process makes from now on lack these mode bits.
  ///
  /// @return the mask before; the call cannot fail
  public int umask(int mask) {
    return call(UMASK, mask, 0, 0);
  }

  private int call(MemorySegment function, long a, long b, long c) {
    return call(function, a, b, c, 0, 0);
  }

  private int packetCall(MemorySegment function, long a, long b, long c) {
    int returned = lean(function, a, b, c);
    return returned >= 0 ? returned : call(function, a, b, c);
  }

  private static int orNoMore(int returned) {
    return returned >= 0 ? returned : Errno.EAGAIN.result();
  }

  /// @return −1 for whatever failure
  private static int lean(MemorySegment function, long a, long b, long c) {
    try {
      return (int) (long) LEAN.invokeExact(function, a, b, c, 0L, 0L);
    } catch (Throwable failure) {
      throw new IllegalStateException("a foreign call does not fit its descriptor", failure);
    }
  }

  private int call(MemorySegment function, long a, long b, long c, long d, long e) {
    try {
      // Of a function that returns an int, the upper half of the register says nothing.
      int returned = (int) (long) CALL.invokeExact(function, captured, a, b, c, d, e);
      return returned >= 0 ? returned : -(int) ERRNO.get(captured, 0L);
    } catch (Throwable failure) {
      throw new IllegalStateException("a foreign call does not fit its descriptor", failure);
    }
  }
}
