package io.viaduct.host.netlink;

import io.netty.channel.IoEventLoop;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.PolledDescriptor;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.SocketException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reports each change of links, addresses and routes on one event loop. It first reports all that
/// exist. After each burst of reports comes a [NetworkChange.Settled]. It watches the network
/// namespace of the thread that starts it.
public final class NetlinkMonitor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NetlinkMonitor.class);

  // Linux writes dumps in pieces of at most 32 KiB (NLMSG_GOODSIZE, net/netlink/af_netlink.c).
  private static final int RECEIVE_BYTES = 64 * 1024;
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int RECEIVES_PER_WAKE_UP = 16;

  // RTMGRP_LINK, _IPV4_IFADDR, _IPV4_ROUTE, _IPV6_IFADDR, _IPV6_ROUTE of linux/rtnetlink.h.
  private static final int GROUPS = 0x1 | 0x10 | 0x40 | 0x100 | 0x400;
  private static final int[] DUMPS = {
    RouteMessages.GET_LINK, RouteMessages.GET_ADDRESS, RouteMessages.GET_ROUTE
  };
  private static final NetworkChange SETTLED = new NetworkChange.Settled();
  private static final short NLM_F_REQUEST_DUMP = 0x1 | 0x300;

  private final SystemCalls calls = new SystemCalls();
  private final RouteMessages messages = new RouteMessages();
  private final MemorySegment received = Arena.ofAuto().allocate(RECEIVE_BYTES, Long.BYTES);
  private final Consumer<NetworkChange> listener;
  private final RouteMessages.Listener parts = new Parts();
  private @Nullable PolledDescriptor descriptor;
  private int sequence;
  private int dump = DUMPS.length;
  private boolean isResyncPending;
  private boolean hasDroppedRoutes;
  private long overruns;

  private NetlinkMonitor(Consumer<NetworkChange> listener) {
    this.listener = listener;
  }

  /// Starts to listen.
  ///
  /// @param loop of an `EpollIoHandler`
  /// @param listener called on that loop; a [NetworkChange.Resync] comes first
  /// @throws SocketException if the kernel has no rtnetlink
  public static NetlinkMonitor start(IoEventLoop loop, Consumer<NetworkChange> listener)
      throws SocketException {
    NetlinkMonitor monitor = new NetlinkMonitor(listener);
    PolledDescriptor polled = new PolledDescriptor(loop, monitor.open(), monitor.new Readable());
    monitor.descriptor = polled;
    loop.execute(() -> {
      polled.reading(true);
      monitor.resync();
    });
    return monitor;
  }

  private int open() throws SocketException {
    int fd =
        calls.socket(
            Sockets.AF_NETLINK,
            Sockets.SOCK_RAW | Sockets.SOCK_NONBLOCK | Sockets.SOCK_CLOEXEC,
            Sockets.NETLINK_ROUTE);
    if (fd < 0) {
      throw new SocketException("no netlink socket: " + Errno.text(fd));
    }
    // A failure is accepted: a larger buffer only makes a resync rarer.
    if (calls.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_RCVBUFFORCE, BUFFER_BYTES) < 0) {
      calls.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_RCVBUF, BUFFER_BYTES);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(12, Integer.BYTES); // struct sockaddr_nl
      address.set(ValueLayout.JAVA_SHORT, 0, (short) Sockets.AF_NETLINK);
      address.set(ValueLayout.JAVA_INT, 8, GROUPS);
      int bound = calls.bind(fd, address.address(), (int) address.byteSize());
      if (bound < 0) {
        calls.close(fd);
        throw new SocketException("netlink groups cannot be joined: " + Errno.text(bound));
      }
    }
    return fd;
  }

  /// Returns how many times the kernel dropped messages because the loop was busy for too long.
  public long overruns() {
    return overruns;
  }

  /// Returns the number of messages that were skipped because their lengths are inconsistent.
  public long malformed() {
    return messages.malformed();
  }

  private void resync() {
    isResyncPending = false;
    listener.accept(new NetworkChange.Resync());
    dump = 0;
    request();
  }

  // The kernel runs one dump per socket at a time, so a second dump waits for the end of the first.
  private void resyncSoon() {
    if (dump < DUMPS.length) {
      isResyncPending = true;
    } else {
      resync();
    }
  }

  // Linux reports nothing when it drops the IPv4 routes of a link that loses its address or is
  // switched off (fib_disable_ip, net/ipv4/fib_frontend.c). A resync finds them.
  private static boolean dropsRoutes(NetworkChange change) {
    return switch (change) {
      case NetworkChange.AddressGone gone -> gone.address() instanceof Inet4Address;
      case NetworkChange.LinkPresent link -> !link.isUp();
      case NetworkChange.LinkGone _ -> true;
      default -> false;
    };
  }

  private void request() {
    try (Arena arena = Arena.ofConfined()) {
      int length = RouteMessages.HEADER_LENGTH + 4; // struct rtgenmsg, all families
      MemorySegment message = arena.allocate(length, Integer.BYTES);
      message.set(ValueLayout.JAVA_INT, 0, length);
      message.set(ValueLayout.JAVA_SHORT, 4, (short) DUMPS[dump]);
      message.set(ValueLayout.JAVA_SHORT, 6, NLM_F_REQUEST_DUMP);
      message.set(ValueLayout.JAVA_INT, 8, ++sequence);
      int sent = calls.write(number(), message.address(), length);
      if (sent < 0) {
        LOG.warn("netlink request {} refused: {}", DUMPS[dump], Errno.text(sent));
      }
    }
  }

  private int number() {
    PolledDescriptor polled = descriptor;
    if (polled == null) {
      throw new IllegalStateException("the monitor has not been started");
    }
    return polled.number();
  }

  @Override
  public void close() {
    PolledDescriptor polled = descriptor;
    if (polled != null) {
      polled.close();
    }
  }

  private final class Parts implements RouteMessages.Listener {
    @Override
    public void changed(NetworkChange change, boolean asked) {
      hasDroppedRoutes |= !asked && dropsRoutes(change);
      listener.accept(change);
    }

    @Override
    public void ended(int of, int error) {
      if (of != sequence || dump >= DUMPS.length) {
        return; // the answer to an older request
      }
      if (error < 0) {
        LOG.warn("netlink dump {} failed: {}", DUMPS[dump], Errno.text(error));
      }
      dump++;
      if (isResyncPending) {
        resync();
      } else if (dump < DUMPS.length) {
        request();
      } else {
        listener.accept(new NetworkChange.Complete());
      }
    }
  }

  private final class Readable implements PolledDescriptor.Events {
    @Override
    public void readable() {
      if (readAll()) {
        listener.accept(SETTLED);
        if (hasDroppedRoutes) {
          hasDroppedRoutes = false;
          resyncSoon();
        }
      }
    }

    /// Reads messages. @return false if more may wait; the loop then comes back
    private boolean readAll() {
      PolledDescriptor polled = descriptor;
      for (int i = 0; i < RECEIVES_PER_WAKE_UP && polled != null && polled.isReading(); i++) {
        int bytes = calls.read(polled.number(), received.address(), RECEIVE_BYTES);
        if (bytes >= 0) {
          messages.read(received.asSlice(0, bytes).asByteBuffer(), parts);
        } else if (Errno.of(bytes) == Errno.ENOBUFS) {
          overruns++;
          resyncSoon();
        } else {
          return true; // no further message
        }
      }
      return false;
    }

    @Override
    public void writable() {}
  }
}
