package io.viaduct.radius.message;

import io.viaduct.radius.dictionary.AttributeDefinition;
import io.viaduct.radius.dictionary.AttributeType;
import io.viaduct.radius.dictionary.Dictionary;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Builds the attributes of a packet by their names. A name, or a value, that the dictionary does
/// not have is refused, hence in the first test.
public final class AttributesBuilder {
  private static final long UNSIGNED_32_MAX = 0xFFFF_FFFFL;

  private final Dictionary dictionary;
  private final List<Attribute> attributes = new ArrayList<>();

  public AttributesBuilder(Dictionary dictionary) {
    this.dictionary = dictionary;
  }

  /// Adds a number.
  public AttributesBuilder add(String name, long number) {
    AttributeDefinition definition = dictionary.attribute(name);
    boolean isNumber =
        switch (definition.type()) {
          case INTEGER, ENUM, TIME -> true;
          default -> false;
        };
    if (!isNumber || number < 0 || number > UNSIGNED_32_MAX) {
      throw new IllegalArgumentException(name + " cannot be " + number);
    }
    return add(definition, ByteBuffer.allocate(Integer.BYTES).putInt((int) number).array());
  }

  /// Adds a time; fractions of a second are cut off.
  public AttributesBuilder add(String name, Instant time) {
    return add(name, time.getEpochSecond());
  }

  /// Adds a text, or the named value of an enum. An empty text adds nothing, because RFC 2865
  /// forbids it.
  ///
  /// @throws IllegalArgumentException if the text has more than 253 octets
  public AttributesBuilder add(String name, String text) {
    AttributeDefinition definition = dictionary.attribute(name);
    if (definition.type() == AttributeType.ENUM) {
      return add(name, dictionary.value(name, text));
    }
    if (definition.type() != AttributeType.TEXT) {
      throw new IllegalArgumentException(name + " is no text");
    }
    return text.isEmpty() ? this : add(definition, text.getBytes(StandardCharsets.UTF_8));
  }

  /// Adds octets.
  public AttributesBuilder add(String name, byte[] octets) {
    return add(dictionary.attribute(name), octets.clone());
  }

  /// Adds a count of octets: its lower 32 bits, and how often they have wrapped (RFC 2869 section
  /// 5.1).
  ///
  /// @param direction `Input` for octets from the user, `Output` for octets to the user
  public AttributesBuilder octets(String direction, long octets) {
    add("Acct-" + direction + "-Octets", octets & UNSIGNED_32_MAX);
    return octets > UNSIGNED_32_MAX
        ? add("Acct-" + direction + "-Gigawords", octets >>> Integer.SIZE)
        : this;
  }

  private AttributesBuilder add(AttributeDefinition definition, byte[] data) {
    attributes.add(new Attribute(definition, data));
    return this;
  }

  public List<Attribute> build() {
    return List.copyOf(attributes);
  }
}
