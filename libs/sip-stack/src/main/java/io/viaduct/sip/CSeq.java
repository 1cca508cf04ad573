package io.viaduct.sip;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Command sequence number and method of a message (RFC 3261 section 20.16).
///
/// @param number 0 .. 2^31 - 1
public record CSeq(long number, String method) {
  private static final Pattern WRITTEN = Pattern.compile("(\\d{1,10})[ \t]+([^ \t]*)");

  /// Reads the value of a CSeq header.
  ///
  /// @throws IllegalArgumentException if it is not `number method`
  public static CSeq parse(String text) {
    Matcher written = WRITTEN.matcher(text.strip());
    if (!written.matches()) {
      throw new IllegalArgumentException("CSeq must be 'number method', got '" + text + "'");
    }
    long number = Long.parseLong(written.group(1));
    if (number > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("CSeq must be less than 2^31, got " + number);
    }
    return new CSeq(number, written.group(2));
  }

  @Override
  public String toString() {
    return number + " " + method;
  }
}
