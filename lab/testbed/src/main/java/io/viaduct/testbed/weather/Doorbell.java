package io.viaduct.testbed.weather;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.viaduct.testbed.libc.LibraryCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Waits for a frame, a time or another thread: ppoll(2) on a TAP device and an eventfd(2). All but
/// [#ring] is called by one thread.
final class Doorbell implements AutoCloseable {
  private static final int EFD_NONBLOCK = 0x800;
  private static final short POLLIN = 1;
  private static final int POLLFD_BYTES = 8;
  private static final int PR_SET_TIMERSLACK = 29;
  private static final int SYS_SCHED_SETATTR = 314; // x86-64; other machines keep the default slice
  private static final int SCHED_ATTR_BYTES = 48;
  private static final long SLICE_NS = 100_000; // shortest that the kernel grants

  private final Arena arena = Arena.ofShared();
  private final int event = LibraryCall.EVENTFD.check(0, EFD_NONBLOCK, 0);
  private final MemorySegment descriptors = arena.allocate(2 * POLLFD_BYTES, 8);
  private final MemorySegment timeout = arena.allocate(2 * Long.BYTES, 8);
  private final MemorySegment rung = arena.allocate(JAVA_LONG);
  private final MemorySegment one = arena.allocateFrom(JAVA_LONG, 1);

  Doorbell(TapPort port) {
    watch(0, port.descriptor());
    watch(1, event);
  }

  private void watch(int index, int descriptor) {
    descriptors.set(JAVA_INT, (long) index * POLLFD_BYTES, descriptor);
    descriptors.set(JAVA_SHORT, (long) index * POLLFD_BYTES + 4, POLLIN);
  }

  /// Makes the calling thread precise: timers fire within a nanosecond of their time instead of 50
  /// µs, and the scheduler prefers the thread when it wakes up.
  void makePrecise() {
    LibraryCall.PRCTL.call(PR_SET_TIMERSLACK, 1, 0);
    if (System.getProperty("os.arch").equals("amd64")) {
      // struct sched_attr: size, policy (SCHED_OTHER), flags, nice, priority, slice. Refusal is no
      // error: kernels before 6.12 know no slice.
      MemorySegment attributes = arena.allocate(SCHED_ATTR_BYTES, 8);
      attributes.set(JAVA_INT, 0, SCHED_ATTR_BYTES);
      attributes.set(JAVA_LONG, 24, SLICE_NS);
      LibraryCall.SYSCALL.call(SYS_SCHED_SETATTR, 0, attributes.address());
    }
  }

  /// Waits until a frame can be read, the time is over, or [#ring] was called.
  void await(long ns) {
    timeout.set(JAVA_LONG, 0, ns / 1_000_000_000);
    timeout.set(JAVA_LONG, 8, ns % 1_000_000_000);
    LibraryCall.PPOLL.call(descriptors.address(), 2, timeout.address());
    if (descriptors.get(JAVA_SHORT, POLLFD_BYTES + 6) != 0) {
      LibraryCall.READ.call(event, rung.address(), Long.BYTES);
    }
  }

  void ring() {
    LibraryCall.WRITE.call(event, one.address(), Long.BYTES);
  }

  @Override
  public void close() {
    LibraryCall.CLOSE.call(event, 0, 0);
    arena.close();
  }
}
