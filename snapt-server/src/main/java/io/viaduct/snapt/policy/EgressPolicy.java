package io.viaduct.snapt.policy;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Decides which destinations devices may reach. The first rule that matches decides:
///
/// 1. source routes and the SNAPT's own addresses: refused, except its tunnel port, and packets to
///    another device ([io.viaduct.snapt.napt.Hairpin])
/// 2. `egress.allow`: allowed
/// 3. `egress.deny`, the control network, networks that are not part of the Internet: refused
/// 4. everything else: allowed
///
/// Threads: any event loop may call [#judge]. The thread of [OwnAddresses] replaces the sets of
/// addresses.
public final class EgressPolicy {
  /// Networks that are not part of the Internet (IANA's special-purpose registries, RFC 6890).
  /// Includes the IPv6 networks that contain an IPv4 destination: IPv4-compatible, IPv4-mapped,
  /// NAT64, 6to4.
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

  private static final int END_OF_OPTIONS = 0;
  private static final int NO_OPERATION = 1;
  private static final int LOOSE_SOURCE_ROUTE = 131;
  private static final int STRICT_SOURCE_ROUTE = 137;

  private final EgressRule[] allow;
  private final Networks[] allowed;
  private final EgressRule[] deny;
  private final Networks[] denied;
  private final Networks notInternet;
  private final List<Prefix> controlNetworks;
  private final TunnelPorts tunnels = new TunnelPorts();
  private volatile Networks own = Networks.NONE;
  private volatile Networks control;

  /// @param controlNetworks the operator's control networks, without the bridge
  /// @param denyPrivate true if networks that are not part of the Internet are refused
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

  /// Returns a policy that refuses only source routes and the SNAPT's own addresses.
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
    tunnels.own(own);
  }

  /// Replaces the bridge's addresses.
  void bridge(Collection<Prefix> addresses) {
    control = new Networks(Stream.concat(controlNetworks.stream(), addresses.stream()).toList());
  }

  /// Returns the ports at which tunnels end.
  public TunnelPorts tunnels() {
    return tunnels;
  }

  /// Checks a packet that the address translation has just accepted.
  ///
  /// @param of the translation that has rewritten this packet and no packet since
  /// @return the reason for the refusal, or null if the packet may be forwarded
  public @Nullable EgressRefusal judge(IpPacket judged, AddressTranslation of) {
    return judge(judged, of, own);
  }

  /// Checks a packet to a public address that the sessions share as one to any other host of the
  /// Internet: it is meant for a device.
  public @Nullable EgressRefusal judgeShared(IpPacket judged, AddressTranslation of) {
    return judge(judged, of, Networks.NONE);
  }

  /// Returns true if packets to an address are refused on all ports but those of `egress.allow`: it
  /// is in the control network, or not part of the Internet.
  boolean hides(Prefix host) {
    for (Networks each : allowed) {
      if (holds(each, host.ipv6(), host.high(), host.low())) {
        return false;
      }
    }
    return holds(control, host.ipv6(), host.high(), host.low())
        || holds(notInternet, host.ipv6(), host.high(), host.low());
  }

  private @Nullable EgressRefusal judge(
      IpPacket judged, AddressTranslation of, Networks ownAddresses) {
    ByteBuf packet = judged.buffer();
    int ip = judged.start();
    boolean ipv6 = of.isIpv6();
    if (!ipv6 && of.transportOffset() > IpFields.IPV4_HEADER && choosesRoute(packet, ip, of)) {
      return EgressRefusal.SOURCE_ROUTE;
    }
    long high = ipv6 ? packet.getLong(ip + IpFields.IPV6_DESTINATION) : 0;
    long low =
        ipv6
            ? packet.getLong(ip + IpFields.IPV6_DESTINATION + Long.BYTES)
            : packet.getUnsignedInt(ip + IpFields.IPV4_DESTINATION);
    boolean ownAddress = holds(ownAddresses, ipv6, high, low);
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
      // At a private address of the host, the port may be another program's.
      boolean isTunnel = tunnels.isOwn(protocol, port) && !holds(notInternet, ipv6, high, low);
      return isTunnel ? null : EgressRefusal.OWN_ADDRESS;
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

  // A fragment after the first has no ports. It is useless without the first fragment, which has
  // them. It therefore matches allow rules with ports, and never deny rules with ports.
  private static boolean fits(EgressRule rule, int protocol, int port, boolean withoutPorts) {
    return rule.covers(protocol)
        && (!rule.hasPorts()
            || (port < 0 ? withoutPorts : port >= rule.portFrom() && port <= rule.portTo()));
  }

  /// @return −1 if the packet has no ports
  private static int destinationPort(ByteBuf packet, int ip, AddressTranslation of, int protocol) {
    return (protocol == IpFields.TCP || protocol == IpFields.UDP) && of.transportBytes() >= 4
        ? packet.getUnsignedShort(ip + of.transportOffset() + IpFields.DESTINATION_PORT)
        : -1;
  }

  // RFC 791 section 3.1: an option is a single byte (end, no operation), or its second byte is its
  // length.
  private static boolean choosesRoute(ByteBuf packet, int ip, AddressTranslation of) {
    int at = ip + IpFields.IPV4_HEADER;
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
