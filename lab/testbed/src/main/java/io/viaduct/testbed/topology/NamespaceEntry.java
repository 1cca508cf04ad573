package io.viaduct.testbed.topology;

import io.viaduct.testbed.libc.LibraryCall;
import java.lang.foreign.Arena;

/// Moves the calling thread into a network namespace for good (`setns(2)`).
final class NamespaceEntry {
  private static final int CLONE_NEWNET = 0x40000000; // sched.h
  private static final int O_RDONLY_CLOEXEC = 0x80000; // fcntl.h

  private NamespaceEntry() {}

  static void enter(String path) {
    try (Arena arena = Arena.ofConfined()) {
      long name = arena.allocateFrom(path).address();
      int file = LibraryCall.OPEN.call(name, O_RDONLY_CLOEXEC, 0);
      int status = file < 0 ? file : LibraryCall.SETNS.call(file, CLONE_NEWNET, 0);
      if (file >= 0) {
        LibraryCall.CLOSE.check(file, 0, 0);
      }
      if (status != 0) {
        throw new IllegalStateException("cannot enter the network namespace " + path);
      }
    }
  }
}
