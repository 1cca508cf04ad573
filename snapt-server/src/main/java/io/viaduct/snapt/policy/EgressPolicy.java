package io.viaduct.snapt.policy;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.Prefix;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Decides which destinations devices reach. Looked at in this order; the first that fits decides:
///
/// 1. source routes and the SNAPT's own addresses: never
/// 2. `egress.allow`: yes
/// 3. `egress.deny`, the control network, networks that are not of the Internet: no
/// 4. everything else: yes
///
/// Threads: [#judge] on any event loop; the sets of addresses are replaced by the thread that
/// watches them.
public final class EgressPolicy {
  /// Networks that are not of the Internet (IANA's special-purpose registries, RFC 6890), with
  /// those IPv6 networks that carry an IPv4 destination: IPv4-compatible, mapped, NAT64, 6to4.
  static final List<Prefix> PRIVATE =
      Stream.of(
              "10.0.0.0/8",
              "100.64.0.0/10",
              "172.16.0.0/12",
              "192.0.0.0/24",
              "192.88.99.0/24",
              "192.168.0.0/16",
              "198.18.0.0/15",
              "::/96",
              "::ffff:0:0/96",
              "64:ff9b::/96",
              "64:ff9b:1::/48",
              "100::/64",
              "2002::/16",
              "fc00::/7",
              "fec0::/10")
          .map(Prefix::of)
          .toList();

  private static final int IPV4_OPTIONS = 20;
  private static final int END_OF_OPTIONS = 0;
  private static final int NO_OPERATION = 1;
  private static final int LOOSE_SOURCE_ROUTE = 131;
  private static final int STRICT_SOURCE_ROUTE = 137;
  private static final int TCP = 6;
  private static final int UDP = 17;

  private final EgressRule[] allow;
  private final Networks[] allowed;
  private final EgressRule[] deny;
  private final Networks[] denied;
  private final Networks notInternet;
  private final List<Prefix> controlNetworks;
  private volatile Networks own = Networks.NONE;
  private volatile Networks control;

  /// @param controlNetworks besides the bridge
  /// @param denyPrivate whether networks that are not of the Internet are refused
  public EgressPolicy(
      List<EgressRule> allow,
      List<EgressRule> deny,
      List<Prefix> controlNetworks,
      boolean denyPrivate) {
    this.allow = allow.toArray(EgressRule[]::new);
    this.allowed = networksOf(allow);
    this.deny = deny.toArray(EgressRule[]::new);
    this.denied = networksOf(deny);
    this.notInternet = denyPrivate ? new Networks(PRIVATE) : Networks.NONE;
    this.controlNetworks = List.copyOf(controlNetworks);
    this.control = new Networks(this.controlNetworks);
  }

  /// A policy that refuses only the SNAPT itself and source routes.
  public static EgressPolicy open() {
    return new EgressPolicy(List.of(), List.of(), List.of(), false);
  }

  private static Networks[] networksOf(List<EgressRule> rules) {
    return rules.stream()
        .map(rule ->
            rule.network() == null
                ? new Networks(List.of(Prefix.of("0.0.0.0/0"), Prefix.of("::/0")))
                : new Networks(List.of(rule.network())))
        .toArray(Networks[]::new);
  }

  /// Replaces the SNAPT's own addresses.
  void own(Collection<Prefix> addresses) {
    own = new Networks(addresses);
  }

  /// Replaces the bridge's addresses.
  void bridge(Collection<Prefix> addresses) {
    control = new Networks(Stream.concat(controlNetworks.stream(), addresses.stream()).toList());
  }

  /// Judges a packet that the translation has just found fit to be forwarded.
  ///
  /// @param ip index of the IP header
  /// @param of the translation that has looked at the packet last
  /// @return null if it may leave
  public @Nullable EgressRefusal judge(ByteBuf packet, int ip, AddressTranslation of) {
    boolean ipv6 = of.ipv6();
    if (!ipv6 && of.transportOffset() > IPV4_OPTIONS && choosesRoute(packet, ip, of)) {
      return EgressRefusal.SOURCE_ROUTE;
    }
    long high = ipv6 ? packet.getLong(ip + 24) : 0;
    long low = ipv6 ? packet.getLong(ip + 32) : packet.getUnsignedInt(ip + 16);
    boolean ownAddress = holds(own, ipv6, high, low);
    int protocol = of.protocol();
    int port = destinationPort(packet, ip, of, protocol);
    for (int i = 0; i < allow.length; i++) {
      if ((!ownAddress || allow[i].namesHost())
          && fits(allow[i], protocol, port, true)
          && holds(allowed[i], ipv6, high, low)) {
        return null;
      }
    }
    if (ownAddress) {
      return EgressRefusal.OWN_ADDRESS;
    }
    for (int i = 0; i < deny.length; i++) {
      if (fits(deny[i], protocol, port, false) && holds(denied[i], ipv6, high, low)) {
        return EgressRefusal.DENIED;
      }
    }
    if (holds(control, ipv6, high, low)) {
      return EgressRefusal.CONTROL_NETWORK;
    }
    return holds(notInternet, ipv6, high, low) ? EgressRefusal.PRIVATE_NETWORK : null;
  }

  private static boolean holds(Networks networks, boolean ipv6, long high, long low) {
    return ipv6 ? networks.holdIpv6(high, low) : networks.holdIpv4(low);
  }

  // A fragment behind the first has no ports. It is of no use without the first one, which has
  // them: so it passes both kinds of rules with ports.
  private static boolean fits(EgressRule rule, int protocol, int port, boolean withoutPorts) {
    return rule.covers(protocol)
        && (!rule.hasPorts()
            || (port < 0 ? withoutPorts : port >= rule.portFrom() && port <= rule.portTo()));
  }

  /// @return −1 without ports
  private static int destinationPort(ByteBuf packet, int ip, AddressTranslation of, int protocol) {
    return (protocol == TCP || protocol == UDP) && of.transportBytes() >= 4
        ? packet.getUnsignedShort(ip + of.transportOffset() + 2)
        : -1;
  }

  // RFC 791 section 3.1: an option is one byte (end, no operation), or has its length in the
  // second.
  private static boolean choosesRoute(ByteBuf packet, int ip, AddressTranslation of) {
    int at = ip + IPV4_OPTIONS;
    int end = ip + of.transportOffset();
    while (at < end) {
      int type = packet.getUnsignedByte(at);
      if (type == END_OF_OPTIONS) {
        return false;
      }
      if (type == LOOSE_SOURCE_ROUTE || type == STRICT_SOURCE_ROUTE) {
        return true;
      }
      int length =
          type == NO_OPERATION ? 1 : at + 1 < end ? packet.getUnsignedByte(at + 1) : Byte.SIZE * 8;
      if ((type != NO_OPERATION && length < 2) || at + length > end) {
        return true;
      }
      at += length;
    }
    return false;
  }
}
