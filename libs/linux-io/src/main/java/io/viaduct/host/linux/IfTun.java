package io.viaduct.host.linux;

/// Constants of linux/if_tun.h.
public final class IfTun {
  public static final long TUNSETIFF = 0x400454caL;
  public static final long TUNSETOFFLOAD = 0x400454d0L;
  public static final long TUNSETVNETHDRSZ = 0x400454d8L;
  public static final long TUNSETVNETLE = 0x400454dcL;

  public static final int IFF_TUN = 0x0001;
  public static final int IFF_TAP = 0x0002;
  public static final int IFF_MULTI_QUEUE = 0x0100;
  public static final int IFF_NO_PI = 0x1000;
  public static final int IFF_VNET_HDR = 0x4000;
  public static final int IFF_TUN_EXCL = 0x8000;

  public static final int TUN_F_CSUM = 0x01;
  public static final int TUN_F_TSO4 = 0x02;
  public static final int TUN_F_TSO6 = 0x04;
  public static final int TUN_F_TSO_ECN = 0x08;
  public static final int TUN_F_USO4 = 0x20;
  public static final int TUN_F_USO6 = 0x40;

  /// Most queues of one device (MAX_TAP_QUEUES of drivers/net/tun.c).
  public static final int MAX_TAP_QUEUES = 256;

  private IfTun() {}
}
