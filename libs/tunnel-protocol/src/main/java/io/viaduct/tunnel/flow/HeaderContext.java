package io.viaduct.tunnel.flow;

/// Packs the fields of one header context into one long (docs/protocol.md "Contexts"). A context
/// adds to a flow's addresses, protocol and ports: version, DSCP, hop limit; for IPv4 also DF and
/// "UDP without checksum"; for IPv6 also the flow label.
public final class HeaderContext {
  /// Value that means "no context".
  public static final long NONE = 0;

  static final long NO_UDP_CHECKSUM = 1L << 40;
  private static final long DONT_FRAGMENT = 1L << 41;
  private static final int VERSION = 60;
  private static final int DSCP = 48;
  private static final int HOPS = 32;

  private HeaderContext() {}

  static long ipv4(int dscp, boolean dontFragment, int hops) {
    return 4L << VERSION
        | (long) dscp << DSCP
        | (long) hops << HOPS
        | (dontFragment ? DONT_FRAGMENT : 0);
  }

  static long ipv6(int dscp, int flowLabel, int hops) {
    return 6L << VERSION | (long) dscp << DSCP | (long) hops << HOPS | flowLabel;
  }

  public static boolean isIpv4(long context) {
    return context >>> VERSION == 4;
  }

  public static int dscp(long context) {
    return (int) (context >>> DSCP) & 0x3F;
  }

  public static int hops(long context) {
    return (int) (context >>> HOPS) & 0xFF;
  }

  public static int flowLabel(long context) {
    return (int) context & 0xFFFFF;
  }

  public static boolean dontFragment(long context) {
    return (context & DONT_FRAGMENT) != 0;
  }

  public static boolean udpWithoutChecksum(long context) {
    return (context & NO_UDP_CHECKSUM) != 0;
  }
}
