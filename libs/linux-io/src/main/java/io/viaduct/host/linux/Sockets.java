package io.viaduct.host.linux;

/// Constants of sys/socket.h, asm-generic/socket.h, linux/in.h, linux/in6.h, linux/udp.h,
/// linux/netlink.h.
public final class Sockets {
  public static final int O_RDWR = 0x2;
  public static final int O_NONBLOCK = 0x800;
  public static final int O_CLOEXEC = 0x80000;
  public static final int CLONE_NEWNET = 0x40000000;

  public static final int AF_INET = 2;
  public static final int AF_INET6 = 10;
  public static final int AF_NETLINK = 16;
  public static final int SOCK_DGRAM = 2;
  public static final int SOCK_RAW = 3;
  public static final int SOCK_NONBLOCK = 0x800;
  public static final int SOCK_CLOEXEC = 0x80000;

  public static final int SOL_SOCKET = 1;
  public static final int SO_SNDBUF = 7;
  public static final int SO_RCVBUF = 8;
  public static final int SO_REUSEPORT = 15;
  public static final int SO_BINDTODEVICE = 25;
  public static final int SO_SNDBUFFORCE = 32;
  public static final int SO_RCVBUFFORCE = 33;
  public static final int SO_TIMESTAMPNS = 35;
  public static final int SO_MARK = 36;
  public static final int SO_ATTACH_REUSEPORT_CBPF = 51;

  public static final int SOL_IP = 0;
  public static final int IP_PKTINFO = 8;
  public static final int IP_MTU_DISCOVER = 10;
  public static final int IPV6_MTU_DISCOVER = 23;

  /// The kernel fragments packets that are too long (IP_PMTUDISC_DONT).
  public static final int PMTU_DISCOVER_DONT = 0;

  /// The kernel never fragments and ignores ICMP (IP_PMTUDISC_PROBE).
  public static final int PMTU_DISCOVER_PROBE = 3;

  public static final int SOL_IPV6 = 41;
  public static final int IPV6_V6ONLY = 26;
  public static final int IPV6_RECVPKTINFO = 49;
  public static final int IPV6_PKTINFO = 50;

  public static final int SOL_UDP = 17;
  public static final int UDP_SEGMENT = 103;
  public static final int UDP_GRO = 104;

  /// Most segments of one send with segmentation offload (UDP_MAX_SEGMENTS; 64 before Linux 6.9).
  public static final int UDP_MAX_SEGMENTS = 64;

  public static final int NETLINK_ROUTE = 0;
  public static final int NETLINK_GENERIC = 16;

  private Sockets() {}
}
