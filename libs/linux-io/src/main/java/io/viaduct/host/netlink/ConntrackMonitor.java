package io.viaduct.host.netlink;

import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.SocketException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/// Reports each start and end of a tracked connection in this network namespace, on a thread of its
/// own. Needs CAP_NET_ADMIN.
public final class ConntrackMonitor implements AutoCloseable {
  private static final int NETLINK_NETFILTER = 12;
  private static final int GROUPS_NEW_AND_DESTROY = 0x1 | 0x4; // NF_NETLINK_CONNTRACK_...
  private static final int SO_RCVTIMEO = 20;
  private static final int RECEIVE_BYTES = 64 * 1024;
  private static final int BUFFER_BYTES = 8 << 20;

  private final SystemCalls calls = new SystemCalls();
  private final ConntrackMessages messages = new ConntrackMessages();
  private final LongAdder overruns = new LongAdder();
  private final Consumer<AddressMapping> listener;
  private final Runnable idle;
  private final int fd;
  private final Thread thread;
  private volatile boolean isClosed;

  private ConntrackMonitor(Consumer<AddressMapping> listener, Runnable idle)
      throws SocketException {
    this.listener = listener;
    this.idle = idle;
    this.fd = open();
    this.thread = Thread.ofPlatform().name("conntrack").daemon().start(this::listen);
  }

  /// Starts to listen.
  ///
  /// @param listener called on the monitor's thread, may block
  /// @param idle called on the monitor's thread after each receive, and at least once a second
  /// @throws SocketException if the kernel has no connection tracking, or this process lacks the
  ///   right
  public static ConntrackMonitor start(Consumer<AddressMapping> listener, Runnable idle)
      throws SocketException {
    return new ConntrackMonitor(listener, idle);
  }

  private int open() throws SocketException {
    int socket =
        calls.socket(
            Sockets.AF_NETLINK, Sockets.SOCK_RAW | Sockets.SOCK_CLOEXEC, NETLINK_NETFILTER);
    if (socket < 0) {
      throw new SocketException("no netfilter socket: " + Errno.text(socket));
    }
    calls.setsockopt(socket, Sockets.SOL_SOCKET, Sockets.SO_RCVBUFFORCE, BUFFER_BYTES);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment second = arena.allocate(16, Long.BYTES); // struct timeval
      second.set(ValueLayout.JAVA_LONG, 0, 1);
      calls.setsockopt(socket, Sockets.SOL_SOCKET, SO_RCVTIMEO, second.address(), 16);
      MemorySegment address = arena.allocate(12, Integer.BYTES); // struct sockaddr_nl
      address.set(ValueLayout.JAVA_SHORT, 0, (short) Sockets.AF_NETLINK);
      address.set(ValueLayout.JAVA_INT, 8, GROUPS_NEW_AND_DESTROY);
      int bound = calls.bind(socket, address.address(), (int) address.byteSize());
      if (bound < 0) {
        calls.close(socket);
        throw new SocketException("connection tracking cannot be heard: " + Errno.text(bound));
      }
    }
    return socket;
  }

  private void listen() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment received = arena.allocate(RECEIVE_BYTES, Long.BYTES);
      while (!isClosed) {
        int bytes = calls.read(fd, received.address(), RECEIVE_BYTES);
        if (bytes > 0) {
          messages.read(received.asSlice(0, bytes).asByteBuffer(), listener);
        } else if (bytes != Errno.EAGAIN.result()) {
          overruns.increment(); // ENOBUFS: the kernel dropped messages
        }
        idle.run();
      }
    } finally {
      calls.close(fd);
    }
  }

  /// Returns how many times the kernel dropped messages because this process was too slow.
  public long overruns() {
    return overruns.sum();
  }

  @Override
  public void close() {
    isClosed = true;
    try {
      thread.join(2000);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
