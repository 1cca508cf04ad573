package io.viaduct.snapt.napt;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/// The address of a session on the Internet side, one of each family.
public record PublicAddress(int ipv4, long ipv6High, long ipv6Low) {
  /// @param ipv4 4 bytes
  /// @param ipv6 16 bytes
  /// @throws IllegalArgumentException for another length
  public static PublicAddress of(byte[] ipv4, byte[] ipv6) {
    if (ipv4.length != 4 || ipv6.length != 16) {
      throw new IllegalArgumentException(
          "a public address has 4 and 16 bytes, got %d and %d".formatted(ipv4.length, ipv6.length));
    }
    ByteBuffer wide = ByteBuffer.wrap(ipv6);
    return new PublicAddress(ByteBuffer.wrap(ipv4).getInt(), wide.getLong(0), wide.getLong(8));
  }

  /// Parses numeric text.
  ///
  /// @throws IllegalArgumentException if an address is not numeric
  public static PublicAddress of(String ipv4, String ipv6) {
    byte[] four = NetUtil.createByteArrayFromIpAddressString(ipv4);
    byte[] sixteen = NetUtil.createByteArrayFromIpAddressString(ipv6);
    if (four == null || sixteen == null) {
      throw new IllegalArgumentException(
          "a public address is written as 10.200.0.2 and fd77::2, got '%s' and '%s'"
              .formatted(ipv4, ipv6));
    }
    return of(four, sixteen);
  }

  /// Returns whether the other one has the same address of a family.
  public boolean overlaps(PublicAddress other) {
    return ipv4 == other.ipv4 || ipv6High == other.ipv6High && ipv6Low == other.ipv6Low;
  }

  /// Returns the 4 bytes of the IPv4 address.
  public byte[] ipv4Bytes() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(ipv4).array();
  }

  /// Returns the 16 bytes of the IPv6 address.
  public byte[] ipv6Bytes() {
    return ByteBuffer.allocate(2 * Long.BYTES).putLong(ipv6High).putLong(ipv6Low).array();
  }

  /// Returns the IPv4 address as numeric text.
  public String ipv4Text() {
    return text(ipv4Bytes());
  }

  /// Returns the IPv6 address as numeric text.
  public String ipv6Text() {
    return text(ipv6Bytes());
  }

  private static String text(byte[] address) {
    try {
      return NetUtil.toAddressString(InetAddress.getByAddress(address));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are an address", e);
    }
  }

  @Override
  public String toString() {
    return ipv4Text() + " " + ipv6Text();
  }
}
