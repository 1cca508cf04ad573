package io.viaduct.radius.dictionary;

/// An attribute as its standard defines it.
///
/// @param name as in the standard, such as `Acct-Session-Id`
/// @param number 0 to 255; 0 is reserved
public record AttributeDefinition(String name, int number, AttributeType type) {
  private static final int MOST = 255;

  public AttributeDefinition {
    if (number < 0 || number > MOST) {
      throw new IllegalArgumentException("attribute number " + number);
    }
  }

  /// Returns the definition of an attribute that no dictionary knows.
  static AttributeDefinition unknown(int number) {
    return new AttributeDefinition("Attribute " + number, number, AttributeType.STRING);
  }
}
