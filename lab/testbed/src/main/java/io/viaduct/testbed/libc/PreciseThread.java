package io.viaduct.testbed.libc;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Scheduling of threads whose wake-ups must be precise.
public final class PreciseThread {
  private static final int PR_SET_TIMERSLACK = 29;
  private static final int SYS_SCHED_SETATTR = 314; // of x86-64
  private static final int SCHED_ATTR_BYTES = 48;
  private static final int SCHED_POLICY = 4; // offsets of struct sched_attr, sched_setattr(2)
  private static final int SCHED_PRIORITY = 20;
  private static final int SCHED_RUNTIME = 24;
  private static final int SCHED_FIFO = 1;
  private static final long SLICE_NS = 100_000; // shortest that the kernel grants

  private PreciseThread() {}

  /// Makes the calling platform thread precise. Timers fire within a nanosecond of their time
  /// instead of 50 µs. The thread gets the lowest real-time priority where the process may set it,
  /// so that a busy machine does not delay it; otherwise a short slice, which the scheduler prefers
  /// at a wake-up.
  public static void become() {
    LibraryCall.PRCTL.call(PR_SET_TIMERSLACK, 1, 0);
    if (System.getProperty("os.arch").equals("amd64") && !setScheduling(SCHED_FIFO, 1, 0)) {
      // Kernels before 6.12 know no slice and ignore it.
      setScheduling(0, 0, SLICE_NS);
    }
  }

  private static boolean setScheduling(int policy, int priority, long runtimeNs) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(SCHED_ATTR_BYTES, 8);
      attributes.set(JAVA_INT, 0, SCHED_ATTR_BYTES);
      attributes.set(JAVA_INT, SCHED_POLICY, policy);
      attributes.set(JAVA_INT, SCHED_PRIORITY, priority);
      attributes.set(JAVA_LONG, SCHED_RUNTIME, runtimeNs);
      return LibraryCall.SYSCALL.call(SYS_SCHED_SETATTR, 0, attributes.address()) >= 0;
    }
  }
}
