package io.viaduct.radius.message;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// A packet without its signature: [SharedSecret] makes and checks authenticators.
///
/// ```text
/// |0    |1          |2 .. 3 |4 .. 19        |20 ..                                  |
/// |code |identifier |length |authenticator  |attributes: number, length, data       |
/// ```
///
/// @param code 4 for an Accounting-Request, 5 for an Accounting-Response
/// @param identifier 0 to 255; joins a response to its request
/// @param attributes in their order
public record RadiusPacket(int code, int identifier, List<Attribute> attributes) {
  public static final int ACCOUNTING_REQUEST = 4;
  public static final int ACCOUNTING_RESPONSE = 5;

  /// Most octets of a packet (RFC 2865 section 3).
  public static final int MOST = 4096;

  static final int AUTHENTICATOR_AT = 4;
  static final int AUTHENTICATOR_OCTETS = 16;
  static final int HEADER = AUTHENTICATOR_AT + AUTHENTICATOR_OCTETS;

  private static final int OCTET_MAX = 0xFF;

  public RadiusPacket {
    if (code < 0 || code > OCTET_MAX || identifier < 0 || identifier > OCTET_MAX) {
      throw new IllegalArgumentException("code " + code + ", identifier " + identifier);
    }
    attributes = List.copyOf(attributes);
  }

  /// Returns the packet with another identifier.
  public RadiusPacket withIdentifier(int other) {
    return new RadiusPacket(code, other, attributes);
  }

  /// Returns the packet with one more attribute at its end, in the place of one with the same name.
  public RadiusPacket with(Attribute attribute) {
    List<Attribute> changed = new ArrayList<>(attributes);
    changed.removeIf(each -> each.name().equals(attribute.name()));
    changed.add(attribute);
    return new RadiusPacket(code, identifier, changed);
  }

  /// Returns the first attribute with this name.
  public Optional<Attribute> first(String name) {
    return attributes.stream().filter(attribute -> attribute.name().equals(name)).findFirst();
  }

  /// Returns the first number with this name.
  public OptionalLong number(String name) {
    return attributes.stream()
        .filter(attribute -> attribute.name().equals(name))
        .mapToLong(Attribute::number)
        .findFirst();
  }

  /// Returns the first text with this name, or an empty text.
  public String text(String name) {
    return first(name).map(Attribute::text).orElse("");
  }

  /// Returns the octets, with an authenticator of zeros.
  ///
  /// @throws IllegalArgumentException if they are more than [#MOST]
  public byte[] encode() {
    int length =
        HEADER + attributes.stream().mapToInt(attribute -> 2 + attribute.data().length).sum();
    if (length > MOST) {
      throw new IllegalArgumentException("a packet of " + length + " octets is too long");
    }
    ByteBuffer octets = ByteBuffer.allocate(length);
    octets.put((byte) code).put((byte) identifier).putShort((short) length).position(HEADER);
    for (Attribute attribute : attributes) {
      octets
          .put((byte) attribute.definition().number())
          .put((byte) (2 + attribute.data().length))
          .put(attribute.data());
    }
    return octets.array();
  }
}
