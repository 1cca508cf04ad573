package io.viaduct.snapt.egress;

import io.netty.util.NetUtil;
import io.viaduct.snapt.group.GroupSettings;
import io.viaduct.snapt.group.Host;
import io.viaduct.snapt.napt.PublicAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/// Sets the routes of this host for single public addresses, by `ip`. They have a protocol number
/// of their own ([#PROTOCOL]), by which a routing daemon can find and announce them. They outlive
/// the process: packets are forwarded while it is upgraded.
///
/// @param tun name of the TUN device
/// @param hasIpv6 true if the host has IPv6 on it
public record HostRoutes(String tun, boolean hasIpv6) implements Host {
  /// Protocol number of the routes (`rt_protos`), of those that no routing daemon has.
  public static final int PROTOCOL = 171;

  @Override
  public void here(PublicAddress address) throws IOException {
    replace(address.ipv4Text() + "/32", "dev " + tun);
    if (hasIpv6) {
      replace(address.ipv6Text() + "/128", "dev " + tun);
    }
  }

  @Override
  public void away(PublicAddress address, GroupSettings.Member to) throws IOException {
    replace(address.ipv4Text() + "/32", "via " + to.nextHop());
    if (hasIpv6 && !to.nextHop6().isEmpty()) {
      replace(address.ipv6Text() + "/128", "via " + to.nextHop6());
    }
  }

  @Override
  public void forget(PublicAddress address) throws IOException {
    flush("-4", address.ipv4Text() + "/32");
    if (hasIpv6) {
      flush("-6", address.ipv6Text() + "/128");
    }
  }

  @Override
  public void forget(InetAddress address) throws IOException {
    boolean isIpv4 = address.getAddress().length == 4;
    flush(isIpv4 ? "-4" : "-6", address.getHostAddress() + (isIpv4 ? "/32" : "/128"));
  }

  @Override
  public List<InetAddress> routed() throws IOException {
    List<InetAddress> all = addresses(show("-4"));
    if (hasIpv6) {
      all.addAll(addresses(show("-6")));
    }
    return all;
  }

  private static String show(String family) throws IOException {
    return HostCommand.run("", "ip", family, "route", "show", "proto", String.valueOf(PROTOCOL));
  }

  /// Reads the destinations of host routes. A destination of several addresses is left out: nothing
  /// here sets one.
  ///
  /// @param routes as `ip route show` writes them, one in a line, the destination first
  static List<InetAddress> addresses(String routes) throws IOException {
    List<InetAddress> all = new ArrayList<>();
    for (String line : routes.lines().toList()) {
      String destination = line.strip().split("[ \t]", 2)[0];
      byte[] bytes = NetUtil.createByteArrayFromIpAddressString(destination);
      if (bytes != null) {
        all.add(InetAddress.getByAddress(bytes));
      }
    }
    return all;
  }

  private static void replace(String prefix, String way) throws IOException {
    HostCommand.run(
        "route replace %s %s proto %d\n".formatted(prefix, way, PROTOCOL), "ip", "-batch", "-");
  }

  private static void flush(String family, String prefix) throws IOException {
    HostCommand.run(
        "", "ip", family, "route", "flush", "exact", prefix, "proto", String.valueOf(PROTOCOL));
  }
}
