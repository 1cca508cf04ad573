package io.viaduct.radius.message;

import io.viaduct.radius.dictionary.AttributeDefinition;
import io.viaduct.radius.dictionary.AttributeType;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// An attribute of a packet. Its data has a length of its type, and is not changed after the
/// attribute is made.
public record Attribute(AttributeDefinition definition, byte[] data) {
  public Attribute {
    if (!definition.type().fits(data.length)) {
      throw new IllegalArgumentException(
          definition.name() + " cannot have " + data.length + " octets of data");
    }
  }

  public String name() {
    return definition.name();
  }

  /// Returns a number: that of an integer, an enum or a time in seconds since 1970.
  public long number() {
    return switch (definition.type()) {
      case INTEGER, ENUM, TIME -> Integer.toUnsignedLong(ByteBuffer.wrap(data).getInt());
      default -> throw new IllegalStateException(name() + " is no number");
    };
  }

  /// Returns a text. Octets that are no UTF-8, and control characters, become U+FFFD: access
  /// servers send any octets, and what they count must not be lost for a name.
  public String text() {
    if (definition.type() != AttributeType.TEXT) {
      throw new IllegalStateException(name() + " is no text");
    }
    return new String(data, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "\uFFFD");
  }

  /// Returns an IP address.
  public InetAddress address() {
    if (definition.type() != AttributeType.IPV4 && definition.type() != AttributeType.IPV6) {
      throw new IllegalStateException(name() + " is no address");
    }
    try {
      return InetAddress.getByAddress(data);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e); // the length fits
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Attribute(AttributeDefinition otherDefinition, byte[] otherData)
        && definition.equals(otherDefinition)
        && Arrays.equals(data, otherData);
  }

  @Override
  public int hashCode() {
    return 31 * definition.hashCode() + Arrays.hashCode(data);
  }
}
