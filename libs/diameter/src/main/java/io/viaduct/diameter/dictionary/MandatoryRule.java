package io.viaduct.diameter.dictionary;

/// The M bit of an AVP (RFC 6733 section 4.1): a receiver that does not know an AVP with this bit
/// refuses the message.
public enum MandatoryRule {
  /// We set the bit. An AVP that arrives without it is accepted.
  SET("M"),
  /// We do not set the bit. An AVP that arrives with it is accepted.
  OPTIONAL("m"),
  /// The bit must not be set: an AVP that arrives with it is refused.
  CLEAR("-");

  private final String text;

  MandatoryRule(String text) {
    this.text = text;
  }

  static MandatoryRule of(String text) {
    for (MandatoryRule rule : values()) {
      if (rule.text.equals(text)) {
        return rule;
      }
    }
    throw new IllegalArgumentException("the flag is M, m or -, not " + text);
  }

  /// Returns the letter of the data file.
  public String text() {
    return text;
  }
}
