package io.viaduct.cnapt.classification;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/// Addresses of both families as numbers, so that sets of them are ranges: those of IPv4 from 0,
/// those of IPv6 from 2^128.
public final class AddressNumbers {
  private static final int IPV6_BITS = 128;
  private static final BigInteger IPV6 = BigInteger.ONE.shiftLeft(IPV6_BITS);

  /// The addresses of both families.
  public static final NumberSet ALL =
      of(List.of(AddressPrefix.of("0.0.0.0/0"), AddressPrefix.of("::/0")));

  private AddressNumbers() {}

  /// Returns the number of an address.
  public static BigInteger of(InetAddress address) {
    byte[] bytes = address.getAddress();
    BigInteger number = new BigInteger(1, bytes);
    return bytes.length * Byte.SIZE == IPV6_BITS ? number.add(IPV6) : number;
  }

  /// Returns the numbers of the addresses of prefixes.
  public static NumberSet of(List<AddressPrefix> prefixes) {
    return NumberSet.of(prefixes.stream().map(AddressNumbers::range).toList());
  }

  private static NumberSet.Range range(AddressPrefix prefix) {
    BigInteger first = of(prefix.network());
    int bits = prefix.network().getAddress().length * Byte.SIZE;
    BigInteger count = BigInteger.ONE.shiftLeft(bits - prefix.length());
    return new NumberSet.Range(first, first.add(count).subtract(BigInteger.ONE));
  }

  /// Returns the address of a number.
  public static InetAddress address(BigInteger number) {
    boolean isIpv6 = number.compareTo(IPV6) >= 0;
    byte[] digits = (isIpv6 ? number.subtract(IPV6) : number).toByteArray();
    byte[] bytes = new byte[isIpv6 ? 16 : 4];
    int kept = Math.min(digits.length, bytes.length); // a leading zero is a sign
    byte[] last = Arrays.copyOfRange(digits, digits.length - kept, digits.length);
    System.arraycopy(last, 0, bytes, bytes.length - kept, kept);
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("4 or 16 bytes are an address", e);
    }
  }
}
