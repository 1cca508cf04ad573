package io.viaduct.testbed.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.viaduct.testbed.libc.LibraryCall;
import io.viaduct.testbed.topology.Command;
import java.lang.foreign.Arena;
import java.util.List;

/// Pins the device's side to one half of the processors and the far side to the other half.
/// Otherwise a round trip takes one of two times, depending on the scheduler.
final class ProcessorHalves {
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private ProcessorHalves() {}

  /// Pins the calling thread.
  ///
  /// @param near true for the device's half
  static void enter(boolean near) {
    try (Arena arena = Arena.ofConfined()) {
      long half = (1L << Math.max(1, PROCESSORS / 2)) - 1;
      long mask = near || PROCESSORS == 1 ? half : half << (PROCESSORS / 2);
      var bytes = arena.allocateFrom(JAVA_LONG, mask);
      LibraryCall.SCHED_SETAFFINITY.check(0, bytes.byteSize(), bytes.address());
    }
  }

  /// Pins a peer's processes, with all their threads, while the work runs.
  static void during(Peer peer, Runnable work) {
    String first = "0-" + (Math.max(1, PROCESSORS / 2) - 1);
    String second = PROCESSORS == 1 ? first : PROCESSORS / 2 + "-" + (PROCESSORS - 1);
    place(peer.nearProcesses(), first);
    place(peer.farProcesses(), second);
    try {
      work.run();
    } finally {
      place(peer.nearProcesses(), "0-" + (PROCESSORS - 1));
      place(peer.farProcesses(), "0-" + (PROCESSORS - 1));
    }
  }

  private static void place(List<Long> processes, String processors) {
    for (long id : processes) {
      Command.run("taskset", "-a", "-p", "-c", processors, Long.toString(id));
    }
  }
}
