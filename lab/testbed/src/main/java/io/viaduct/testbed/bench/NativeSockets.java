package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// System calls that Java does not offer: bursts of datagrams and the processors of a thread. The
/// constants are those of Linux on x86-64 and ARM64.
final class NativeSockets {
  static final int AF_INET = 2;
  static final int SOCK_DGRAM = 2;
  static final int SOL_SOCKET = 1;
  static final int SO_RCVBUF = 8;
  static final int SO_RCVTIMEO = 20;
  static final int SO_RCVBUFFORCE = 33;
  static final int MSG_WAITFORONE = 0x10000;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle SOCKET =
      handle("socket", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle BIND =
      handle("bind", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle CONNECT =
      handle("connect", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle SETSOCKOPT =
      handle(
          "setsockopt",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
  private static final MethodHandle SENDMMSG =
      handle("sendmmsg", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final MethodHandle RECVMMSG =
      handle(
          "recvmmsg",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle SCHED_SETAFFINITY =
      handle("sched_setaffinity", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));

  private NativeSockets() {}

  private static MethodHandle handle(String name, FunctionDescriptor type) {
    return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), type);
  }

  static int socket() {
    try {
      return checked((int) SOCKET.invokeExact(AF_INET, SOCK_DGRAM, 0), "socket");
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  static void bind(int file, MemorySegment address) {
    try {
      checked((int) BIND.invokeExact(file, address, (int) address.byteSize()), "bind");
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  static void connect(int file, MemorySegment address) {
    try {
      checked((int) CONNECT.invokeExact(file, address, (int) address.byteSize()), "connect");
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  static void option(int file, int option, MemorySegment value) {
    if (!allows(file, option, value)) {
      throw new IllegalStateException("setsockopt refuses option " + option);
    }
  }

  /// Sets an option and returns true if the kernel accepted it.
  static boolean allows(int file, int option, MemorySegment value) {
    try {
      int length = (int) value.byteSize();
      return (int) SETSOCKOPT.invokeExact(file, SOL_SOCKET, option, value, length) == 0;
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  /// Returns the number of sent messages, or −1 if not even the first was sent.
  static int send(int file, MemorySegment messages, int count) {
    try {
      return (int) SENDMMSG.invokeExact(file, messages, count, 0);
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  /// Returns the number of received messages, or −1 if none came in time.
  static int receive(int file, MemorySegment messages, int count) {
    try {
      return (int) RECVMMSG.invokeExact(file, messages, count, MSG_WAITFORONE, MemorySegment.NULL);
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  static void close(int file) {
    try {
      int ignored = (int) CLOSE.invokeExact(file);
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  /// Sets the processors of the calling thread and of threads that it starts later.
  static void affinity(MemorySegment mask) {
    try {
      int status = (int) SCHED_SETAFFINITY.invokeExact(0, mask.byteSize(), mask);
      checked(status, "sched_setaffinity");
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  private static int checked(int status, String call) {
    if (status < 0) {
      throw new IllegalStateException(call + " failed");
    }
    return status;
  }

  private static RuntimeException rethrown(Throwable e) {
    return e instanceof RuntimeException known ? known : new IllegalStateException(e);
  }
}
