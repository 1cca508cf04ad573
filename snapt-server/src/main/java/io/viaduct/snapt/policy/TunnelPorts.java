package io.viaduct.snapt.policy;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.napt.AddressTranslation;
import io.viaduct.snapt.napt.Prefix;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import java.util.Collection;
import java.util.List;

/// The UDP ports at which tunnels end: that of this SNAPT, and those of the other members of its
/// group. A device that shares its link sends the datagrams of its neighbours there, through its
/// own session (ADR 0068).
///
/// Threads: any event loop may ask. Each setter has one calling thread.
public final class TunnelPorts {
  private static final int NO_PORT = -1;

  private volatile int port = NO_PORT;
  private volatile Networks own = Networks.NONE;
  private volatile Ports[] members = {};

  /// The tunnel port of another SNAPT.
  ///
  /// @param addresses of its host
  /// @param port its UDP port
  public record Member(Collection<Prefix> addresses, int port) {}

  private record Ports(Networks addresses, int port) {}

  /// Sets the UDP port of this SNAPT.
  public void port(int ofThisSnapt) {
    port = ofThisSnapt;
  }

  /// Replaces the addresses of this SNAPT.
  void own(Networks addresses) {
    own = addresses;
  }

  /// Replaces the ports of the other members.
  public void members(List<Member> others) {
    members =
        others.stream()
            .map(each -> new Ports(new Networks(each.addresses()), each.port()))
            .toArray(Ports[]::new);
  }

  /// Returns whether packets of a protocol to a port of this SNAPT itself go into its tunnel.
  ///
  /// @param to destination port, −1 if the packet has none
  boolean isOwn(int protocol, int to) {
    return protocol == IpFields.UDP && to == port && to != NO_PORT;
  }

  /// Returns whether the remote end of a flow is the end of a tunnel.
  public boolean has(FlowState flow) {
    boolean ipv4 = flow.isIpv4();
    long low = ipv4 ? flow.remoteLow() & 0xFFFF_FFFFL : flow.remoteLow();
    return flow.protocol() == IpFields.UDP && has(!ipv4, flow.remoteHigh(), low, flow.remotePort());
  }

  /// Returns whether a packet that was just translated goes to the end of a tunnel.
  public boolean isDestination(IpPacket packet, AddressTranslation of) {
    return has(packet, of, IpFields.IPV6_DESTINATION, IpFields.IPV4_DESTINATION, 2);
  }

  /// Returns whether a packet that was just translated comes from the end of a tunnel.
  public boolean isSource(IpPacket packet, AddressTranslation of) {
    return has(packet, of, IpFields.IPV6_SOURCE, IpFields.IPV4_SOURCE, 0);
  }

  private boolean has(
      IpPacket packet, AddressTranslation of, int ipv6Offset, int ipv4Offset, int portOffset) {
    if (!of.isUdp() || of.transportBytes() < IpFields.UDP_HEADER) {
      return false;
    }
    ByteBuf bytes = packet.buffer();
    int ip = packet.start();
    int at = bytes.getUnsignedShort(ip + of.transportOffset() + portOffset);
    return of.isIpv6()
        ? has(true, bytes.getLong(ip + ipv6Offset), bytes.getLong(ip + ipv6Offset + Long.BYTES), at)
        : has(false, 0, bytes.getUnsignedInt(ip + ipv4Offset), at);
  }

  private boolean has(boolean ipv6, long high, long low, int at) {
    if (at == port && holds(own, ipv6, high, low)) {
      return true;
    }
    Ports[] others = members;
    for (int i = 0; i < others.length; i++) {
      if (at == others[i].port() && holds(others[i].addresses(), ipv6, high, low)) {
        return true;
      }
    }
    return false;
  }

  private static boolean holds(Networks networks, boolean ipv6, long high, long low) {
    return ipv6 ? networks.holdIpv6(high, low) : networks.holdIpv4(low);
  }
}
