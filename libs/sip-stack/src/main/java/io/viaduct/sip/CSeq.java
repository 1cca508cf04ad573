package io.viaduct.sip;

/// Command sequence number and method of a message (RFC 3261 section 20.16).
///
/// @param number 0 .. 2^31 - 1
public record CSeq(long number, String method) {
  /// Reads the value of a CSeq header.
  ///
  /// @throws IllegalArgumentException if it is not `number method`
  public static CSeq parse(String text) {
    String[] parts = text.strip().split("[ \t]+", -1);
    if (parts.length != 2 || !parts[0].matches("\\d{1,10}")) {
      throw new IllegalArgumentException("CSeq must be 'number method', got '" + text + "'");
    }
    long number = Long.parseLong(parts[0]);
    if (number > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("CSeq must be less than 2^31, got " + number);
    }
    return new CSeq(number, parts[1]);
  }

  @Override
  public String toString() {
    return number + " " + method;
  }
}
