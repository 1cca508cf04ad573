package io.viaduct.testbed.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// System calls that Java does not offer, through libc. Memory is passed as an address.
public enum LibraryCall {
  OPEN("open"),
  CLOSE("close"),
  SETNS("setns"),
  SOCKET("socket"),
  BIND("bind"),
  CONNECT("connect"),
  LISTEN("listen"),
  ACCEPT("accept"),
  GETSOCKNAME("getsockname"),
  SETSOCKOPT("setsockopt"),
  SENDMMSG("sendmmsg"),
  RECVMMSG("recvmmsg"),
  SCHED_SETAFFINITY("sched_setaffinity"),
  READ("read"),
  WRITE("write"),
  PPOLL("ppoll"),
  EVENTFD("eventfd"),
  PRCTL("prctl"),
  SYSCALL("syscall");

  // One shape for all calls: the callee ignores additional registers, and Linux passes variadic
  // arguments (open) in the same ones.
  private static final MethodHandle CALL =
      Linker.nativeLinker()
          .downcallHandle(
              FunctionDescriptor.of(
                  JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

  private final MemorySegment function;

  LibraryCall(String name) {
    function = Linker.nativeLinker().defaultLookup().findOrThrow(name);
  }

  /// Calls the function with up to five arguments, and returns its result: −1 for an error.
  public int call(long a, long b, long c, long d, long e) {
    try {
      return (int) CALL.invokeExact(function, a, b, c, d, e);
    } catch (Throwable impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  public int call(long a, long b, long c) {
    return call(a, b, c, 0, 0);
  }

  /// Calls the function.
  ///
  /// @throws IllegalStateException if it fails
  public int check(long a, long b, long c) {
    int result = call(a, b, c);
    if (result < 0) {
      throw new IllegalStateException(this + " failed");
    }
    return result;
  }
}
