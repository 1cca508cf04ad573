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
