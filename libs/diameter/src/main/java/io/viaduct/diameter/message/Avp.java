package io.viaduct.diameter.message;

import io.viaduct.diameter.dictionary.AvpDefinition;
import io.viaduct.diameter.dictionary.MandatoryRule;

/// An AVP: definition, M bit, value.
///
/// @param mandatory the M bit
public record Avp(AvpDefinition definition, boolean mandatory, AvpValue value) {
  /// Checks that the value has the format of the definition.
  ///
  /// @throws IllegalArgumentException if it has not
  public Avp {
    AvpFormat.check(definition, value);
  }

  /// Returns an AVP with the M bit of its definition.
  public static Avp of(AvpDefinition definition, AvpValue value) {
    return new Avp(definition, definition.mandatory() == MandatoryRule.SET, value);
  }

  /// Returns an AVP whose data is kept as octets, for the content of Failed-AVP.
  static Avp raw(AvpDefinition definition, boolean mandatory, byte[] data) {
    return new Avp(definition.asOctets(), mandatory, new AvpValue.Octets(data));
  }

  /// Returns an AVP with the smallest data that its format allows, all zero: what Failed-AVP holds
  /// for an AVP that is missing or has a wrong length (RFC 6733 section 7.5).
  static Avp zero(AvpDefinition definition) {
    return raw(
        definition,
        definition.mandatory() == MandatoryRule.SET,
        new byte[definition.type().bytesMin()]);
  }

  public String name() {
    return definition.name();
  }
}
