package io.viaduct.host.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
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
import java.util.List;

/// Makes system calls through libc. As in the kernel, a result below zero is `-errno`.
///
/// Each owner has its own instance, because the memory that captures errno is not shared. One
/// thread at a time may use an instance. Memory is passed as an address. Callers that block must
/// not run on an event loop or a virtual thread.
///
/// The capture of errno costs one JDK object per call where profiles come from a start cache
/// (docs/measurements/garbage.md). So calls of the packet path are made without the capture, and
/// repeated with it if they fail.
public final class SystemCalls {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  // One descriptor for all calls, with as many arguments as the longest list (setsockopt). Linking
  // one takes milliseconds of the start, and the callee ignores an additional register. Linux
  // passes variadic arguments (open, ioctl) in the same registers.
  private static final FunctionDescriptor SHAPE =
      FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private static final MethodHandle CALL =
      LINKER.downcallHandle(SHAPE, Linker.Option.captureCallState("errno"));

  private static final MethodHandle CALL_WITHOUT_ERRNO = LINKER.downcallHandle(SHAPE);

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
  private static final MemorySegment SENDMMSG = LINKER.defaultLookup().findOrThrow("sendmmsg");
  private static final MemorySegment RECVMSG = LINKER.defaultLookup().findOrThrow("recvmsg");
  private static final MemorySegment UNSHARE = LINKER.defaultLookup().findOrThrow("unshare");
  private static final MemorySegment UMASK = LINKER.defaultLookup().findOrThrow("umask");
  private static final MemorySegment SYSCALL = LINKER.defaultLookup().findOrThrow("syscall");
  private static final MemorySegment EXECVP = LINKER.defaultLookup().findOrThrow("execvp");
  private static final MemorySegment SIGPROCMASK =
      LINKER.defaultLookup().findOrThrow("sigprocmask");

  private static final int SIG_SETMASK = 2; // asm-generic/signal-defs.h
  private static final int SIGNAL_SET_BYTES = 128; // sigset_t of libc

  // The collector frees this memory with this object, so no other object may keep its address.
  private final MemorySegment captured = Arena.ofAuto().allocate(CAPTURE);

  /// Calls open(2).
  public int open(String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return call(OPEN, arena.allocateFrom(path).address(), flags, 0);
    }
  }

  /// Calls close(2). The descriptor is closed whatever the result.
  public int close(int fd) {
    return call(CLOSE, fd, 0, 0);
  }

  /// Calls ioctl(2) with a pointer or a number as its argument.
  public int ioctl(int fd, long request, long argument) {
    return call(IOCTL, fd, request, argument);
  }

  /// Calls read(2) once, so that an error which the kernel reports only once is not lost.
  public int read(int fd, long address, int bytes) {
    return call(READ, fd, address, bytes);
  }

  /// Calls read(2) for a packet.
  public int readPacket(int fd, long address, int bytes) {
    return packetCall(READ, fd, address, bytes);
  }

  /// Calls read(2) for a further packet. Any failure returns `-EAGAIN`, because nearly always there
  /// is no further packet. [#readPacket] reports another error at the next wake-up.
  public int readMore(int fd, long address, int bytes) {
    return orAgain(callWithoutErrno(READ, fd, address, bytes));
  }

  /// Calls write(2).
  public int write(int fd, long address, int bytes) {
    return packetCall(WRITE, fd, address, bytes);
  }

  /// Calls socket(2).
  public int socket(int family, int type, int protocol) {
    return call(SOCKET, family, type, protocol);
  }

  /// Calls bind(2).
  public int bind(int fd, long address, int bytes) {
    return call(BIND, fd, address, bytes);
  }

  /// Calls getsockname(2); `bytes` is the address of a socklen_t.
  public int getsockname(int fd, long address, long bytes) {
    return call(GETSOCKNAME, fd, address, bytes);
  }

  /// Calls setsockopt(2).
  public int setsockopt(int fd, int level, int option, long address, int bytes) {
    return call(SETSOCKOPT, fd, level, option, address, bytes);
  }

  /// Calls setsockopt(2) with an int.
  public int setsockopt(int fd, int level, int option, int value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocateFrom(JAVA_INT, value);
      return setsockopt(fd, level, option, number.address(), Integer.BYTES);
    }
  }

  /// Calls getsockopt(2) for an int that is not negative.
  public int getsockopt(int fd, int level, int option) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_INT);
      MemorySegment bytes = arena.allocateFrom(JAVA_INT, Integer.BYTES);
      int result = call(GETSOCKOPT, fd, level, option, value.address(), bytes.address());
      return result < 0 ? result : value.get(JAVA_INT, 0);
    }
  }

  /// Calls sendmsg(2) with a `struct msghdr`.
  public int sendmsg(int fd, long message, int flags) {
    return packetCall(SENDMSG, fd, message, flags);
  }

  /// Calls sendmmsg(2) with an array of `struct mmsghdr`.
  ///
  /// @return the number of messages sent, which is below `count` if the next one was refused; or
  ///   the refusal of the first one
  public int sendmmsg(int fd, long messages, int count) {
    return packetCall(SENDMMSG, fd, messages, count);
  }

  /// Calls recvmsg(2) with a `struct msghdr`.
  public int recvmsg(int fd, long message, int flags) {
    return packetCall(RECVMSG, fd, message, flags);
  }

  /// Calls recvmsg(2) for further datagrams; fails as [#readMore] does.
  public int recvmsgMore(int fd, long message, int flags) {
    return orAgain(callWithoutErrno(RECVMSG, fd, message, flags));
  }

  /// Calls unshare(2): the calling thread moves from its namespace to a new one. It must not be a
  /// virtual thread.
  public int unshare(int flags) {
    return call(UNSHARE, flags, 0, 0);
  }

  /// Calls umask(2): files and directories that this process makes later lack these mode bits.
  ///
  /// @return the mask before; the call cannot fail
  public int umask(int mask) {
    return call(UMASK, mask, 0, 0);
  }

  /// Calls bpf(2), for which libc has no function.
  ///
  /// @param attributes address of a `union bpf_attr`
  public int bpf(int command, long attributes, int bytes) {
    return call(SYSCALL, Bpf.SYSTEM_CALL, command, attributes, bytes, 0);
  }

  /// Calls execvp(3), which returns only if it fails.
  ///
  /// @param words the program, looked up in PATH, and its arguments
  public int execvp(List<String> words) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment list = arena.allocate(ADDRESS, words.size() + 1L); // the last one stays null
      for (int i = 0; i < words.size(); i++) {
        list.setAtIndex(ADDRESS, i, arena.allocateFrom(words.get(i)));
      }
      return call(EXECVP, list.get(ADDRESS, 0).address(), list.address(), 0);
    }
  }

  /// Calls sigprocmask(2): the calling thread blocks no signal any more.
  public int unblockSignals() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment none = arena.allocate(SIGNAL_SET_BYTES, Long.BYTES);
      return call(SIGPROCMASK, SIG_SETMASK, none.address(), 0);
    }
  }

  private int call(MemorySegment function, long a, long b, long c) {
    return call(function, a, b, c, 0, 0);
  }

  private int packetCall(MemorySegment function, long a, long b, long c) {
    int returned = callWithoutErrno(function, a, b, c);
    return returned >= 0 ? returned : call(function, a, b, c);
  }

  private static int orAgain(int returned) {
    return returned >= 0 ? returned : Errno.EAGAIN.result();
  }

  /// Calls a function without the capture of errno.
  ///
  /// @return −1 for any failure
  private static int callWithoutErrno(MemorySegment function, long a, long b, long c) {
    try {
      return (int) (long) CALL_WITHOUT_ERRNO.invokeExact(function, a, b, c, 0L, 0L);
    } catch (Throwable failure) {
      throw new IllegalStateException("a foreign call does not fit its descriptor", failure);
    }
  }

  private int call(MemorySegment function, long a, long b, long c, long d, long e) {
    try {
      // The upper half of the register is undefined for a function that returns an int.
      int returned = (int) (long) CALL.invokeExact(function, captured, a, b, c, d, e);
      return returned >= 0 ? returned : -(int) ERRNO.get(captured, 0L);
    } catch (Throwable failure) {
      throw new IllegalStateException("a foreign call does not fit its descriptor", failure);
    }
  }
}
