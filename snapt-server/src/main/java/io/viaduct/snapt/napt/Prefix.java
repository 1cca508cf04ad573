package io.viaduct.snapt.napt;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/// An IP prefix such as `10.200.0.0/16` or `fd77::/64`.
///
/// @param high upper 64 bits of the address, 0 for IPv4
/// @param low lower 64 bits; an IPv4 address in the lowest 32
/// @param length length of the prefix, in bits
/// @param ipv6 true for IPv6, false for IPv4
public record Prefix(long high, long low, int length, boolean ipv6) {
  /// Parses a prefix.
  ///
  /// @throws IllegalArgumentException unless the text is a numeric address, `/` and a length, and
  ///   all bits after that length are 0
  @JsonCreator
  public static Prefix of(String text) {
    int slash = text.indexOf('/');
    byte @Nullable [] address =
        slash < 0 ? null : NetUtil.createByteArrayFromIpAddressString(text.substring(0, slash));
    if (address == null) {
      throw new IllegalArgumentException(
          "a prefix is written as 10.200.0.0/16 or fd77::/64, got '" + text + "'");
    }
    int length = parseLength(text, slash, address.length * Byte.SIZE);
    Prefix prefix = of(address, length);
    if (!prefix.network().equals(prefix)) {
      throw new IllegalArgumentException(
          "bits behind the prefix must be 0, got '" + text + "': write " + prefix.network());
    }
    return prefix;
  }

  /// Returns the prefix that contains only this address.
  public static Prefix host(InetAddress address) {
    byte[] bytes = address.getAddress();
    return of(bytes, bytes.length * Byte.SIZE);
  }

  /// Returns the network with this prefix length that contains an address.
  public static Prefix around(InetAddress address, int length) {
    return of(address.getAddress(), length).network();
  }

  /// Returns the prefix that contains only one address of this prefix.
  ///
  /// @param offset from the first address
  public Prefix host(long offset) {
    return new Prefix(high, low + offset, ipv6 ? 128 : 32, ipv6);
  }

  private static int parseLength(String text, int slash, int bits) {
    try {
      int length = Integer.parseInt(text.substring(slash + 1));
      if (length >= 0 && length <= bits) {
        return length;
      }
    } catch (NumberFormatException _) {
      // reported below, together with the rule
    }
    throw new IllegalArgumentException(
        "the length of a prefix is from 0 to " + bits + ", got '" + text + "'");
  }

  private static Prefix of(byte[] address, int length) {
    long high = 0;
    long low = 0;
    for (byte octet : address) {
      high = high << Byte.SIZE | low >>> (Long.SIZE - Byte.SIZE);
      low = low << Byte.SIZE | Byte.toUnsignedLong(octet);
    }
    return new Prefix(high, low, length, address.length == 16);
  }

  private Prefix network() {
    int host = hostBits();
    long maskedLow = host >= Long.SIZE ? 0 : low >>> host << host;
    long maskedHigh =
        host <= Long.SIZE ? high : host == 128 ? 0 : high >>> (host - 64) << (host - 64);
    return new Prefix(maskedHigh, maskedLow, length, ipv6);
  }

  /// Returns the number of bits after the prefix.
  public int hostBits() {
    return (ipv6 ? 128 : 32) - length;
  }

  /// Returns true if the prefix contains an address, given as its upper and lower 64 bits.
  public boolean contains(long addressHigh, long addressLow) {
    return new Prefix(addressHigh, addressLow, length, ipv6).network().equals(this);
  }

  /// Returns the address at an offset from the first one, as numeric text.
  public String address(long offset) {
    byte[] bytes = new byte[ipv6 ? 16 : 4];
    long rest = low + offset;
    for (int i = bytes.length - 1; i >= 0; i--) {
      bytes[i] = (byte) rest;
      rest >>>= Byte.SIZE;
      if (i == 8) {
        rest = high;
      }
    }
    try {
      return NetUtil.toAddressString(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are an address", e);
    }
  }

  @JsonValue
  @Override
  public String toString() {
    return address(0) + "/" + length;
  }
}
