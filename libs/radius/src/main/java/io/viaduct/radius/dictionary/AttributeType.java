package io.viaduct.radius.dictionary;

import java.util.Arrays;

/// Data types of attributes (RFC 8044 section 3).
public enum AttributeType {
  INTEGER("integer", 4, 4),
  ENUM("enum", 4, 4),
  /// Seconds since 1970.
  TIME("time", 4, 4),
  /// UTF-8. Some access servers send an empty one, which RFC 2865 forbids; it is read as absent.
  TEXT("text", 0, AttributeType.MOST),
  STRING("string", 0, AttributeType.MOST),
  IPV4("ipv4addr", 4, 4),
  IPV6("ipv6addr", 16, 16),
  IPV6_PREFIX("ipv6prefix", 2, 18),
  /// A vendor's number and its attributes, which are kept as octets.
  VSA("vsa", 5, AttributeType.MOST);

  /// Most octets of data: the length of an attribute is one octet, and counts two more.
  public static final int MOST = 253;

  private final String text;
  private final int least;
  private final int most;

  AttributeType(String text, int least, int most) {
    this.text = text;
    this.least = least;
    this.most = most;
  }

  /// Returns the type with this name of the RFC.
  ///
  /// @throws IllegalArgumentException if there is none
  public static AttributeType of(String text) {
    return Arrays.stream(values())
        .filter(type -> type.text.equals(text))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown type " + text));
  }

  /// Returns the name that the RFC uses.
  public String text() {
    return text;
  }

  /// Returns true if data of this many octets may have this type.
  public boolean fits(int octets) {
    return octets >= least && octets <= most;
  }
}
