package io.viaduct.host.tun;

import io.viaduct.host.linux.IfTun;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A TUN device of this process. It exists from [#open] to [#close] and has one [TunQueue] per
/// reader. The caller sets addresses, routes and the link's state.
public final class TunDevice implements AutoCloseable {
  /// Longest IP packet, in bytes; a read also returns the virtio-net header.
  public static final int PACKET_BYTES_MAX = 65_535;

  private static final Logger LOG = LoggerFactory.getLogger(TunDevice.class);
  private static final String DRIVER = "/dev/net/tun";

  // struct ifreq of linux/if.h: a name, then a union that holds the flags as a short.
  private static final int IFREQ_LENGTH = 40;
  private static final int IFREQ_FLAGS = 16;

  private final String name;
  private final TunOffloads offloads;
  private final List<TunQueue> queues;

  private TunDevice(String name, TunOffloads offloads, List<TunQueue> queues) {
    this.name = name;
    this.offloads = offloads;
    this.queues = queues;
  }

  /// Makes the device.
  ///
  /// @throws TunException with the cause and a remedy
  public static TunDevice open(TunSettings settings) throws TunException {
    SystemCalls calls = new SystemCalls();
    List<Integer> descriptors = new ArrayList<>();
    boolean complete = false;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = arena.allocate(IFREQ_LENGTH, Long.BYTES);
      request.setString(0, settings.name());
      int kind = IfTun.IFF_TUN | IfTun.IFF_NO_PI | IfTun.IFF_VNET_HDR;
      if (settings.queues() > 1) {
        kind |= IfTun.IFF_MULTI_QUEUE;
      }
      TunOffloads offloads = TunOffloads.NONE;
      for (int queue = 0; queue < settings.queues(); queue++) {
        int fd = calls.open(DRIVER, Sockets.O_RDWR | Sockets.O_NONBLOCK | Sockets.O_CLOEXEC);
        if (fd < 0) {
          throw TunException.ofOpen(fd);
        }
        descriptors.add(fd);
        // The first queue makes the device and must not join an existing one. The other queues join
        // it under the name that the kernel has returned.
        int flags = queue == 0 ? kind | IfTun.IFF_TUN_EXCL : kind;
        request.set(ValueLayout.JAVA_SHORT, IFREQ_FLAGS, (short) flags);
        int attached = calls.ioctl(fd, IfTun.TUNSETIFF, request.address());
        if (attached < 0) {
          throw TunException.ofAttach(settings.name(), queue, attached);
        }
        offloads = configure(calls, fd, arena);
      }
      String name = request.getString(0);
      List<TunQueue> queues = new ArrayList<>();
      for (int fd : descriptors) {
        queues.add(new TunQueue(fd, offloads));
      }
      complete = true;
      LOG.info("TUN device {} with {} queues, offloads {}", name, queues.size(), offloads);
      return new TunDevice(name, offloads, List.copyOf(queues));
    } finally {
      if (!complete) {
        descriptors.forEach(calls::close);
      }
    }
  }

  private static TunOffloads configure(SystemCalls calls, int fd, Arena arena) throws TunException {
    MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_INT, VirtioNetHeader.LENGTH);
    int sized = calls.ioctl(fd, IfTun.TUNSETVNETHDRSZ, number.address());
    if (sized < 0) {
      throw TunException.ofSetting("a virtio-net header of 12 bytes", sized);
    }
    number.set(ValueLayout.JAVA_INT, 0, 1);
    int ordered = calls.ioctl(fd, IfTun.TUNSETVNETLE, number.address());
    if (ordered < 0) {
      throw TunException.ofSetting("a little-endian virtio-net header", ordered);
    }
    int refused = 0;
    for (TunOffloads offloads : TunOffloads.values()) {
      refused = calls.ioctl(fd, IfTun.TUNSETOFFLOAD, offloads.flags());
      if (refused >= 0) {
        return offloads;
      }
    }
    throw TunException.ofSetting("to set offloads", refused);
  }

  /// Returns the name that the kernel gave to the device.
  public String name() {
    return name;
  }

  /// Returns the work that the kernel leaves to the reader.
  public TunOffloads offloads() {
    return offloads;
  }

  /// Returns the queues; each runs on one event loop.
  public List<TunQueue> queues() {
    return queues;
  }

  /// Closes every queue. The device disappears with the last one.
  @Override
  public void close() {
    queues.forEach(TunQueue::close);
  }
}
