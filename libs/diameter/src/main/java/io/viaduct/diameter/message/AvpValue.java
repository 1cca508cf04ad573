package io.viaduct.diameter.message;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/// The value of an AVP. The format on the wire is that of the AVP's definition; several formats
/// share a kind of value.
public sealed interface AvpValue {
  /// Octets: OctetString, and every AVP that the dictionary does not know.
  record Octets(byte[] bytes) implements AvpValue {
    @Override
    public boolean equals(Object other) {
      return other instanceof Octets(var theirs) && Arrays.equals(bytes, theirs);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
      return "0x" + HexFormat.of().formatHex(bytes);
    }
  }

  /// A whole number: Integer32, Integer64, Unsigned32, Enumerated, and Unsigned64, whose values
  /// from 2⁶³ on are negative here.
  record Whole(long number) implements AvpValue {}

  /// A number of Float32 or Float64.
  record Real(double number) implements AvpValue {}

  /// Text of UTF8String, DiameterIdentity or DiameterURI.
  record Text(String text) implements AvpValue {}

  /// A point in time with a resolution of one second, from 1968-01-20T03:14:08Z on for 136 years.
  record Moment(Instant time) implements AvpValue {}

  /// The AVPs of a Grouped AVP.
  record Group(AvpGroup avps) implements AvpValue {}

  /// An address with its family (1 IPv4, 2 IPv6, 8 E.164).
  record Address(int family, byte[] bytes) implements AvpValue {
    static final int IPV4 = 1;
    static final int IPV6 = 2;

    /// Returns an IP address with its family.
    public static Address of(InetAddress address) {
      byte[] bytes = address.getAddress();
      return new Address(bytes.length == 4 ? IPV4 : IPV6, bytes);
    }

    /// Returns the IP address, or empty for another family.
    public Optional<InetAddress> inet() {
      if (family != IPV4 && family != IPV6) {
        return Optional.empty();
      }
      try {
        return Optional.of(InetAddress.getByAddress(bytes));
      } catch (UnknownHostException _) {
        return Optional.empty();
      }
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Address(int theirFamily, byte[] theirs)
          && family == theirFamily
          && Arrays.equals(bytes, theirs);
    }

    @Override
    public int hashCode() {
      return 31 * family + Arrays.hashCode(bytes);
    }
  }
}
