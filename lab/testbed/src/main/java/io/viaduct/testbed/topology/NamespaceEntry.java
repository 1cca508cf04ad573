package io.viaduct.testbed.topology;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Moves the calling thread into a network namespace for good (`setns(2)`).
final class NamespaceEntry {
  private static final int CLONE_NEWNET = 0x40000000; // sched.h
  private static final int O_RDONLY_CLOEXEC = 0x80000; // fcntl.h

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle OPEN =
      handle(
          "open",
          FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT),
          Linker.Option.firstVariadicArg(2));
  private static final MethodHandle SETNS =
      handle("setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle CLOSE =
      handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

  private NamespaceEntry() {}

  static void enter(String path) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(path);
      int file = (int) OPEN.invokeExact(name, O_RDONLY_CLOEXEC);
      int status = file < 0 ? file : (int) SETNS.invokeExact(file, CLONE_NEWNET);
      if (file >= 0) {
        int ignored = (int) CLOSE.invokeExact(file);
      }
      if (status != 0) {
        throw new IllegalStateException("cannot enter the network namespace " + path);
      }
    }
  }

  private static MethodHandle handle(
      String name, FunctionDescriptor type, Linker.Option... options) {
    return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), type, options);
  }
}
