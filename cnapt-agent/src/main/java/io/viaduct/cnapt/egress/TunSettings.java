package io.viaduct.cnapt.egress;

import io.viaduct.cnapt.classification.AddressPrefix;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The configuration keys `tun: {name, ipv4, ipv6}`.
///
/// @param name name of the interface
/// @param ipv4 inner IPv4 address; empty for a tunnel without IPv4
/// @param ipv6 inner IPv6 address; empty for a tunnel without IPv6
public record TunSettings(String name, String ipv4, String ipv6) {
  // IFNAMSIZ is 16, including the terminating zero.
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,15}");

  /// Checks the values here, because the kernel would refuse them later with a less useful message.
  public TunSettings {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "name must be 1 to 15 letters, digits or '_.-', got '" + name + "'");
    }
    if (!ipv4.isEmpty() && !isLiteral(ipv4, Inet4Address.class)) {
      throw new IllegalArgumentException("ipv4 must be an address or empty, got '" + ipv4 + "'");
    }
    if (!ipv6.isEmpty() && !isLiteral(ipv6, Inet6Address.class)) {
      throw new IllegalArgumentException("ipv6 must be an address or empty, got '" + ipv6 + "'");
    }
    if (ipv4.isEmpty() && ipv6.isEmpty()) {
      throw new IllegalArgumentException("one of ipv4 and ipv6 must be given");
    }
  }

  /// Returns the inner addresses, one or two.
  public List<AddressPrefix> addresses() {
    return Stream.of(ipv4, ipv6).filter(each -> !each.isEmpty()).map(AddressPrefix::of).toList();
  }

  private static boolean isLiteral(String text, Class<? extends InetAddress> family) {
    try {
      return family.isInstance(InetAddress.ofLiteral(text));
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
