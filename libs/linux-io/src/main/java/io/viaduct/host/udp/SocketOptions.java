package io.viaduct.host.udp;

import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sets the options of each socket before its use.
final class SocketOptions {
  private static final Logger LOG = LoggerFactory.getLogger(SocketOptions.class);

  private static final int PROBE = Sockets.PMTU_DISCOVER_PROBE;

  private SocketOptions() {}

  static void apply(SystemCalls calls, int fd, boolean ipv6, boolean shared, UdpSettings settings)
      throws SocketException {
    if (ipv6) {
      int v6Only = settings.address().getAddress().isAnyLocalAddress() ? 0 : 1;
      require(calls.setsockopt(fd, Sockets.SOL_IPV6, Sockets.IPV6_V6ONLY, v6Only), "IPV6_V6ONLY");
    }
    if (shared) {
      require(calls.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEPORT, 1), "SO_REUSEPORT");
    }
    if (settings.mark() != 0) {
      int marked = calls.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_MARK, settings.mark());
      if (marked < 0) {
        throw new SocketException(
            "packet mark %d cannot be set (%s): CAP_NET_ADMIN is needed"
                .formatted(settings.mark(), Errno.text(marked)));
      }
    }
    if (settings.device().isPresent()) {
      onDevice(calls, fd, settings.device().get());
    }
    if (settings.namesArrivals()) {
      PacketInfo info = ipv6 ? PacketInfo.IPV6 : PacketInfo.IPV4;
      require(calls.setsockopt(fd, info.level, info.option, 1), "the local address of datagrams");
    }
    // Probes find the path's MTU (RFC 8899), so the kernel must neither fragment nor trust ICMP.
    probing(discoverMtu(calls, fd, ipv6, PROBE));
    // Linux before 5.0 has no GRO; the socket works without it, but slower.
    int merged = calls.setsockopt(fd, Sockets.SOL_UDP, Sockets.UDP_GRO, 1);
    if (merged < 0) {
      LOG.warn("no UDP receive offload ({}): Linux 5.0 or newer has it", Errno.text(merged));
    }
    // Without time stamps a busy receiver looks like a queue in the path.
    int stamped = calls.setsockopt(fd, Sockets.SOL_SOCKET, Sockets.SO_TIMESTAMPNS, 1);
    if (stamped < 0) {
      LOG.warn("the kernel does not say when a datagram came: {}", Errno.text(stamped));
    }
    buffer(calls, fd, settings.bufferBytes(), Sockets.SO_RCVBUFFORCE, Sockets.SO_RCVBUF);
    buffer(calls, fd, settings.bufferBytes(), Sockets.SO_SNDBUFFORCE, Sockets.SO_SNDBUF);
  }

  private static void onDevice(SystemCalls calls, int fd, String device) throws SocketException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(device);
      int bound =
          calls.setsockopt(
              fd,
              Sockets.SOL_SOCKET,
              Sockets.SO_BINDTODEVICE,
              name.address(),
              (int) name.byteSize());
      if (bound < 0) {
        String why =
            switch (Errno.of(bound)) {
              case ENODEV -> "there is no such interface: ip link";
              case EPERM -> "CAP_NET_RAW is needed";
              default -> "the kernel refuses it";
            };
        throw new SocketException(
            "a UDP socket cannot be bound to interface %s (%s): %s"
                .formatted(device, Errno.text(bound), why));
      }
    }
  }

  /// Sets how the kernel treats packets that are too long. @return the first refusal, or 0
  static int discoverMtu(SystemCalls calls, int fd, boolean ipv6, int how) {
    int four = calls.setsockopt(fd, Sockets.SOL_IP, Sockets.IP_MTU_DISCOVER, how);
    int six = ipv6 ? calls.setsockopt(fd, Sockets.SOL_IPV6, Sockets.IPV6_MTU_DISCOVER, how) : 0;
    return Math.min(0, four < 0 ? four : six);
  }

  private static void probing(int result) {
    if (result < 0) {
      LOG.warn("the kernel keeps its own MTU discovery: {}", Errno.text(result));
    }
  }

  private static void buffer(SystemCalls calls, int fd, int bytes, int force, int ask)
      throws SocketException {
    if (calls.setsockopt(fd, Sockets.SOL_SOCKET, force, bytes) >= 0) {
      return;
    }
    require(calls.setsockopt(fd, Sockets.SOL_SOCKET, ask, bytes), "a buffer size");
    // The kernel doubles the value that it accepted.
    int got = calls.getsockopt(fd, Sockets.SOL_SOCKET, ask) / 2;
    if (got < bytes) {
      LOG.warn(
          "UDP buffer is {} bytes, wanted {}: raise sysctl net.core.{} or give CAP_NET_ADMIN",
          got,
          bytes,
          ask == Sockets.SO_RCVBUF ? "rmem_max" : "wmem_max");
    }
  }

  private static void require(int result, String option) throws SocketException {
    if (result < 0) {
      throw new SocketException("the kernel refuses " + option + ": " + Errno.text(result));
    }
  }

  /// Binds the socket and returns its address.
  static InetSocketAddress bind(SystemCalls calls, int fd, boolean ipv6, InetSocketAddress wanted)
      throws SocketException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(PeerAddresses.IN6_LENGTH, Long.BYTES);
      int length = ipv6 ? PeerAddresses.IN6_LENGTH : PeerAddresses.IN_LENGTH;
      PeerAddresses.encode(ipv6 ? anyIpv6(wanted) : wanted, address, ipv6);
      int bound = calls.bind(fd, address.address(), length);
      if (bound < 0) {
        throw new BindException(refusal(wanted, bound));
      }
      MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_INT, length);
      require(calls.getsockname(fd, address.address(), bytes.address()), "to name the socket");
      int port = new PeerAddresses(ipv6, 1).decode(address).getPort();
      return new InetSocketAddress(wanted.getAddress(), port);
    }
  }

  // 0.0.0.0 on a dual-stack socket would become ::ffff:0.0.0.0, which accepts only IPv4.
  private static InetSocketAddress anyIpv6(InetSocketAddress wanted) {
    if (!wanted.getAddress().isAnyLocalAddress()) {
      return wanted;
    }
    try {
      return new InetSocketAddress(InetAddress.getByAddress(new byte[16]), wanted.getPort());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("16 bytes are an address", e);
    }
  }

  private static String refusal(InetSocketAddress wanted, int result) {
    String why =
        switch (Errno.of(result)) {
          case EADDRINUSE -> "another process has it: stop that one or choose another port";
          case EADDRNOTAVAIL -> "no interface has this address: ip address";
          case EACCES, EPERM -> "ports below 1024 need CAP_NET_BIND_SERVICE";
          default -> "the kernel refuses it";
        };
    return "UDP %s cannot be bound (%s): %s".formatted(wanted, Errno.text(result), why);
  }
}
