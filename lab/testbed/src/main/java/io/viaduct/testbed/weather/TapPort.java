package io.viaduct.testbed.weather;

import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.IfTun;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import io.viaduct.testbed.libc.LibraryCall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// A TAP device without offloads: each read and each write is one Ethernet frame. The device exists
/// until [#close]. It belongs to the network namespace of the thread that opens it.
public final class TapPort implements AutoCloseable {
  /// Frames that the kernel holds while the impairer's thread waits for a processor: 12 ms at 1
  /// Gbit/s of full frames.
  public static final int QUEUE_FRAMES = 1000;

  // struct ifreq of linux/if.h: a name of up to 15 bytes, then a union with the flags as a short.
  private static final int IFREQ_LENGTH = 40;
  private static final int IFREQ_FLAGS = 16;

  private final int descriptor;

  private TapPort(int descriptor) {
    this.descriptor = descriptor;
  }

  /// Makes the device.
  ///
  /// @throws IllegalStateException with the name, the error and a remedy
  public static TapPort open(String name) {
    var calls = new SystemCalls();
    int descriptor =
        calls.open("/dev/net/tun", Sockets.O_RDWR | Sockets.O_NONBLOCK | Sockets.O_CLOEXEC);
    if (descriptor < 0) {
      throw new IllegalStateException(
          "/dev/net/tun cannot be opened: %s; load it (modprobe tun) or chmod 666 /dev/net/tun"
              .formatted(Errno.text(descriptor)));
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(IFREQ_LENGTH, Long.BYTES);
      request.setString(0, name);
      int kind = IfTun.IFF_TAP | IfTun.IFF_NO_PI | IfTun.IFF_TUN_EXCL;
      request.set(ValueLayout.JAVA_SHORT, IFREQ_FLAGS, (short) kind);
      int attached = calls.ioctl(descriptor, IfTun.TUNSETIFF, request.address());
      if (attached < 0) {
        calls.close(descriptor);
        throw new IllegalStateException(
            "the TAP device '%s' cannot be made: %s".formatted(name, Errno.text(attached)));
      }
    }
    return new TapPort(descriptor);
  }

  int descriptor() {
    return descriptor;
  }

  /// Reads a frame.
  ///
  /// @return its length, or below 1 if there is none
  int read(long address, int bytesMax) {
    return LibraryCall.READ.call(descriptor, address, bytesMax);
  }

  /// Writes a frame.
  ///
  /// @return false if the device is down
  boolean write(long address, int bytes) {
    return LibraryCall.WRITE.call(descriptor, address, bytes) >= 0;
  }

  @Override
  public void close() {
    LibraryCall.CLOSE.call(descriptor, 0, 0);
  }
}
