package io.viaduct.diameter.dictionary;

import java.util.Arrays;
import java.util.Optional;

/// Data formats of AVPs (RFC 6733 sections 4.2 and 4.3).
public enum AvpType {
  OCTET_STRING("OctetString", 0, false),
  INTEGER_32("Integer32", 4, true),
  INTEGER_64("Integer64", 8, true),
  UNSIGNED_32("Unsigned32", 4, true),
  UNSIGNED_64("Unsigned64", 8, true),
  FLOAT_32("Float32", 4, true),
  FLOAT_64("Float64", 8, true),
  GROUPED("Grouped", 0, false),
  /// Two octets with the family of RFC 3232 (1 IPv4, 2 IPv6, 8 E.164), then the address.
  ADDRESS("Address", 2, false),
  /// Seconds since 1900, which wrap in 2036.
  TIME("Time", 4, true),
  UTF8_STRING("UTF8String", 0, false),
  DIAMETER_IDENTITY("DiameterIdentity", 1, false),
  DIAMETER_URI("DiameterURI", 7, false),
  ENUMERATED("Enumerated", 4, true);

  private final String text;
  private final int bytesMin;
  private final boolean fixed;

  AvpType(String text, int bytesMin, boolean fixed) {
    this.text = text;
    this.bytesMin = bytesMin;
    this.fixed = fixed;
  }

  /// Returns the format with this name of the RFC, or empty.
  public static Optional<AvpType> of(String text) {
    return Arrays.stream(values()).filter(type -> type.text.equals(text)).findFirst();
  }

  /// Returns the name that the RFC uses.
  public String text() {
    return text;
  }

  /// Returns the smallest length of the data, in octets.
  public int bytesMin() {
    return bytesMin;
  }

  /// Returns true if data of this many octets may have this format.
  public boolean fits(int bytes) {
    return fixed ? bytes == bytesMin : bytes >= bytesMin;
  }
}
