package io.viaduct.diameter.dictionary;

/// An AVP as its standard defines it.
///
/// @param name as in the standard, such as `Session-Id`
public record AvpDefinition(String name, AvpKey key, AvpType type, MandatoryRule mandatory) {
  /// Returns a definition for an AVP whose data is kept as octets: one that no dictionary knows, or
  /// the content of Failed-AVP, which is wrong by its nature.
  public AvpDefinition asOctets() {
    return new AvpDefinition(name, key, AvpType.OCTET_STRING, mandatory);
  }

  /// Returns the definition of an AVP that no dictionary knows.
  public static AvpDefinition unknown(AvpKey key) {
    return new AvpDefinition("AVP " + key, key, AvpType.OCTET_STRING, MandatoryRule.OPTIONAL);
  }
}
