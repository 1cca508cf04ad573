package io.viaduct.cnapt.classification;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/// A prefix of addresses such as `10.0.0.0/8` or `2001:db8::/32`, or one address.
///
/// @param network first address of the prefix
/// @param length leading bits that all its addresses share
public record AddressPrefix(InetAddress network, int length) {
  /// Parses a prefix.
  ///
  /// @throws IllegalArgumentException unless the text is a numeric address, with or without `/` and
  ///   a length, and all bits after that length are 0
  public static AddressPrefix of(String text) {
    int slash = text.indexOf('/');
    AddressPrefix prefix;
    try {
      InetAddress address = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
      int bits = address.getAddress().length * Byte.SIZE;
      int length = slash < 0 ? bits : Integer.parseInt(text.substring(slash + 1));
      if (length < 0 || length > bits) {
        throw new IllegalArgumentException("length");
      }
      prefix = new AddressPrefix(address, length);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "a prefix is an address or a network such as 10.0.0.0/8 or 2001:db8::/32, got '"
              + text
              + "'",
          e);
    }
    if (!prefix.masked().equals(prefix)) {
      throw new IllegalArgumentException(
          "bits behind the prefix must be 0, got '" + text + "': write " + prefix.masked());
    }
    return prefix;
  }

  private AddressPrefix masked() {
    byte[] bytes = network.getAddress();
    for (int i = 0; i < bytes.length; i++) {
      int kept = Math.clamp(length - (long) i * Byte.SIZE, 0, Byte.SIZE);
      bytes[i] &= (byte) (0xff00 >>> kept);
    }
    try {
      return new AddressPrefix(InetAddress.getByAddress(bytes), length);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are an address", e);
    }
  }

  /// Returns true if the prefix contains an address.
  public boolean contains(InetAddress address) {
    byte[] other = address.getAddress();
    return other.length == network.getAddress().length
        && Arrays.equals(
            new AddressPrefix(address, length).masked().network.getAddress(), network.getAddress());
  }

  /// Returns true if this prefix contains every address of the other one.
  public boolean covers(AddressPrefix other) {
    return length <= other.length && contains(other.network);
  }

  /// Returns true for a prefix of IPv6.
  public boolean isIpv6() {
    return network.getAddress().length == 16;
  }

  @Override
  public String toString() {
    return network.getHostAddress() + "/" + length;
  }
}
