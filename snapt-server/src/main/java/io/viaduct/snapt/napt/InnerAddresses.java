package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/// The addresses that a device uses inside its tunnel, as sent in its Hello: IPv4, IPv6 or both.
///
/// @param hasIpv4 true if the device has an IPv4 address
/// @param hasIpv6 true if the device has an IPv6 address
/// @param ipv6High upper 64 bits
/// @param ipv6Low lower 64 bits
public record InnerAddresses(
    boolean hasIpv4, int ipv4, boolean hasIpv6, long ipv6High, long ipv6Low) {
  /// @param ipv4 4 bytes or none
  /// @param ipv6 16 bytes or none
  /// @throws IllegalArgumentException if both are empty, a length is wrong, or an address is not
  ///   unicast
  public static InnerAddresses of(byte[] ipv4, byte[] ipv6) {
    if (ipv4.length == 0 && ipv6.length == 0) {
      throw new IllegalArgumentException("at least one inner address must be given");
    }
    requireUnicast(ipv4, 4);
    requireUnicast(ipv6, 16);
    ByteBuffer high = ByteBuffer.wrap(ipv6.length == 0 ? new byte[16] : ipv6);
    return new InnerAddresses(
        ipv4.length > 0,
        ipv4.length > 0 ? ByteBuffer.wrap(ipv4).getInt() : 0,
        ipv6.length > 0,
        high.getLong(0),
        high.getLong(8));
  }

  private static void requireUnicast(byte[] address, int length) {
    if (address.length == 0) {
      return;
    }
    if (address.length != length) {
      throw new IllegalArgumentException(
          "an inner address must have " + length + " bytes, got " + address.length);
    }
    try {
      InetAddress parsed =
          length == 4
              ? (Inet4Address) InetAddress.getByAddress(address)
              : Inet6Address.getByAddress(null, address, -1);
      if (parsed.isMulticastAddress()
          || parsed.isLoopbackAddress()
          || parsed.isAnyLocalAddress()
          || (length == 4 && (address[0] & 0xf0) == 0xf0)) {
        throw new IllegalArgumentException(
            "an inner address must be unicast, got " + parsed.getHostAddress());
      }
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not an address", e);
    }
  }

  boolean has(boolean ipv6) {
    return ipv6 ? hasIpv6 : hasIpv4;
  }

  boolean at(ByteBuf packet, int index, boolean ipv6) {
    return ipv6
        ? hasIpv6
            && packet.getLong(index) == ipv6High
            && packet.getLong(index + Long.BYTES) == ipv6Low
        : hasIpv4 && packet.getInt(index) == ipv4;
  }
}
