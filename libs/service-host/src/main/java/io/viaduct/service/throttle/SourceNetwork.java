package io.viaduct.service.throttle;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/// The network of one subscriber line: an IPv4 address, or the /64 of an IPv6 address, because a
/// host chooses the other 64 bits freely (RFC 8981).
///
/// @param address the IPv4 address, or the IPv6 address with its last 64 bits zero
public record SourceNetwork(InetAddress address) {
  private static final int PREFIX_BYTES = 8;

  /// Returns the network of an address.
  public static SourceNetwork of(InetAddress address) {
    if (!(address instanceof Inet6Address)) {
      return new SourceNetwork(address);
    }
    byte[] bytes = address.getAddress();
    Arrays.fill(bytes, PREFIX_BYTES, bytes.length, (byte) 0);
    try {
      return new SourceNetwork(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an IPv6 address has 16 bytes", e);
    }
  }

  @Override
  public String toString() {
    return address instanceof Inet6Address
        ? address.getHostAddress() + "/64"
        : address.getHostAddress();
  }
}
