package io.viaduct.host.udp;

import io.netty.channel.IoEventLoop;
import io.viaduct.host.linux.Errno;
import io.viaduct.host.linux.Sockets;
import io.viaduct.host.linux.SystemCalls;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The sockets of one UDP address, one per event loop. Several sockets share the port
/// (`SO_REUSEPORT`), and the kernel chooses among them.
public final class UdpSockets implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(UdpSockets.class);

  private final List<UdpSocket> sockets;

  private UdpSockets(List<UdpSocket> sockets) {
    this.sockets = sockets;
  }

  /// Opens the sockets and starts to receive.
  ///
  /// @param loops of an `EpollIoHandler`; socket `i` runs on loop `i`
  /// @param readers returns the reader of socket `i`; called before any datagram arrives
  /// @throws SocketException if the address cannot be bound; the message says what to do
  public static UdpSockets bind(
      List<? extends IoEventLoop> loops, UdpSettings settings, IntFunction<DatagramReader> readers)
      throws SocketException {
    if (loops.isEmpty()) {
      throw new IllegalArgumentException("at least one event loop is needed, got none");
    }
    SystemCalls calls = new SystemCalls();
    List<Integer> descriptors = new ArrayList<>();
    boolean complete = false;
    try {
      boolean ipv6 = wantsIpv6(settings) && ipv6Works(calls);
      InetSocketAddress address = settings.address();
      for (int i = 0; i < loops.size(); i++) {
        int fd = open(calls, ipv6);
        descriptors.add(fd);
        SocketOptions.apply(calls, fd, ipv6, loops.size() > 1, settings);
        address = SocketOptions.bind(calls, fd, ipv6, address);
      }
      if (loops.size() > 1 && settings.steerOffset() != UdpSettings.BY_ADDRESS) {
        ReusePortSteering.attach(
            calls, descriptors.getFirst(), settings.steerOffset(), loops.size());
      }
      List<UdpSocket> sockets = new ArrayList<>();
      for (int i = 0; i < loops.size(); i++) {
        PeerAddresses peers = new PeerAddresses(ipv6, settings.peersMax());
        boolean names = settings.namesArrivals();
        sockets.add(new UdpSocket(descriptors.get(i), address, peers, names, readers.apply(i)));
      }
      complete = true;
      for (int i = 0; i < loops.size(); i++) {
        sockets.get(i).start(loops.get(i));
      }
      LOG.info("UDP on {} with {} sockets", address, sockets.size());
      return new UdpSockets(List.copyOf(sockets));
    } finally {
      if (!complete) {
        descriptors.forEach(calls::close);
      }
    }
  }

  private static boolean wantsIpv6(UdpSettings settings) {
    return settings.address().getAddress().isAnyLocalAddress()
        || !(settings.address().getAddress() instanceof Inet4Address);
  }

  private static boolean ipv6Works(SystemCalls calls) {
    int fd = calls.socket(Sockets.AF_INET6, Sockets.SOCK_DGRAM | Sockets.SOCK_CLOEXEC, 0);
    if (fd < 0) {
      LOG.info("IPv6 is not available here ({}): UDP by IPv4 only", Errno.text(fd));
      return false;
    }
    calls.close(fd);
    return true;
  }

  private static int open(SystemCalls calls, boolean ipv6) throws SocketException {
    int fd =
        calls.socket(
            ipv6 ? Sockets.AF_INET6 : Sockets.AF_INET,
            Sockets.SOCK_DGRAM | Sockets.SOCK_NONBLOCK | Sockets.SOCK_CLOEXEC,
            0);
    if (fd < 0) {
      throw new SocketException(
          "no UDP socket: " + Errno.text(fd) + "; is the limit of open files (ulimit -n) reached?");
    }
    return fd;
  }

  /// Returns the local address of the sockets.
  public InetSocketAddress address() {
    return sockets.getFirst().address();
  }

  /// Returns the sockets in the order of the loops.
  public List<UdpSocket> sockets() {
    return sockets;
  }

  @Override
  public void close() {
    sockets.forEach(UdpSocket::close);
  }
}
