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

/// System calls by way of libc. As in the kernel, a result below zero is `-errno`.
///
/// Each owner has its own instance, because the place where errno is captured is not shared; an
/// instance belongs to one thread at a time. Memory is passed as an address, so that a call on the
/// packet path makes no object. Callers that block must not run on an event loop or a virtual
/// thread.
public final class SystemCalls {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CAPTURE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private static final MethodHandle OPEN =
      handle("open", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT), 2);
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle IOCTL =
      handle("ioctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG), 2);
  private static final MethodHandle READ =
      handle("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle WRITE =
      handle("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle SOCKET =
      handle("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle BIND =
      handle("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle GETSOCKNAME =
      handle("getsockname", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle SETSOCKOPT =
      handle(
          "setsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle GETSOCKOPT =
      handle(
          "getsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle SENDMSG =
      handle("sendmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle RECVMSG =
      handle("recvmsg", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
  private static final MethodHandle UNSHARE =
      handle("unshare", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  // Collected with this object: nothing else may hold its address.
  private final MemorySegment captured = Arena.ofAuto().allocate(CAPTURE);

  private static MethodHandle handle(String name, FunctionDescriptor type) {
    return handle(name, type, -1);
  }

  private static MethodHandle handle(String name, FunctionDescriptor type, int firstVariadic) {
    MemorySegment symbol = LINKER.defaultLookup().findOrThrow(name);
    Linker.Option errno = Linker.Option.captureCallState("errno");
    return firstVariadic < 0
        ? LINKER.downcallHandle(symbol, type, errno)
        : LINKER.downcallHandle(symbol, type, errno, Linker.Option.firstVariadicArg(firstVariadic));
  }

  /// open(2).
  public int open(String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return result((int) OPEN.invokeExact(captured, arena.allocateFrom(path), flags));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// close(2). The descriptor is gone whatever the result.
  public int close(int fd) {
    try {
      return result((int) CLOSE.invokeExact(captured, fd));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// ioctl(2) with a pointer or a number as its argument.
  public int ioctl(int fd, long request, long argument) {
    try {
      return result((int) IOCTL.invokeExact(captured, fd, request, argument));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// read(2).
  public int read(int fd, long address, int bytes) {
    try {
      return result((long) READ.invokeExact(captured, fd, address, (long) bytes));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// write(2).
  public int write(int fd, long address, int bytes) {
    try {
      return result((long) WRITE.invokeExact(captured, fd, address, (long) bytes));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// socket(2).
  public int socket(int family, int type, int protocol) {
    try {
      return result((int) SOCKET.invokeExact(captured, family, type, protocol));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// bind(2).
  public int bind(int fd, long address, int bytes) {
    try {
      return result((int) BIND.invokeExact(captured, fd, address, bytes));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// getsockname(2); `bytes` is the address of a socklen_t.
  public int getsockname(int fd, long address, long bytes) {
    try {
      return result((int) GETSOCKNAME.invokeExact(captured, fd, address, bytes));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// setsockopt(2).
  public int setsockopt(int fd, int level, int option, long address, int bytes) {
    try {
      return result((int) SETSOCKOPT.invokeExact(captured, fd, level, option, address, bytes));
    } catch (Throwable e) {
      throw broken(e);
    }
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
      int result =
          result(
              (int)
                  GETSOCKOPT.invokeExact(
                      captured, fd, level, option, value.address(), bytes.address()));
      return result < 0 ? result : value.get(JAVA_INT, 0);
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// sendmsg(2) with a `struct msghdr`.
  public int sendmsg(int fd, long message, int flags) {
    try {
      return result((long) SENDMSG.invokeExact(captured, fd, message, flags));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// recvmsg(2) with a `struct msghdr`.
  public int recvmsg(int fd, long message, int flags) {
    try {
      return result((long) RECVMSG.invokeExact(captured, fd, message, flags));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /// unshare(2): the calling thread, which must not be a virtual one, leaves a namespace for a new
  /// one.
  public int unshare(int flags) {
    try {
      return result((int) UNSHARE.invokeExact(captured, flags));
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  private int result(long returned) {
    return returned >= 0 ? (int) returned : -(int) ERRNO.get(captured, 0L);
  }

  private static IllegalStateException broken(Throwable e) {
    return new IllegalStateException("a foreign call does not fit its descriptor", e);
  }
}
