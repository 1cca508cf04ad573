package io.viaduct.sip;

import java.util.Map;

/// One header field: the long form of its name, and its value without leading and trailing blanks.
public record SipHeader(String name, String value) {
  /// Maps compact names to long ones (RFC 3261 section 20, RFC 3265/6665, 3515, 3892, 3903, 4028).
  private static final Map<String, String> LONG_FORM =
      Map.ofEntries(
          Map.entry("a", "Accept-Contact"),
          Map.entry("b", "Referred-By"),
          Map.entry("c", "Content-Type"),
          Map.entry("d", "Request-Disposition"),
          Map.entry("e", "Content-Encoding"),
          Map.entry("f", "From"),
          Map.entry("i", "Call-ID"),
          Map.entry("j", "Reject-Contact"),
          Map.entry("k", "Supported"),
          Map.entry("l", "Content-Length"),
          Map.entry("m", "Contact"),
          Map.entry("o", "Event"),
          Map.entry("r", "Refer-To"),
          Map.entry("s", "Subject"),
          Map.entry("t", "To"),
          Map.entry("u", "Allow-Events"),
          Map.entry("v", "Via"),
          Map.entry("x", "Session-Expires"));

  public SipHeader {
    if (name.length() == 1) {
      name = LONG_FORM.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), name);
    }
    if (value.indexOf('\r') >= 0 || value.indexOf('\n') >= 0) {
      throw new IllegalArgumentException("header " + name + " must not contain a line break");
    }
  }

  /// Returns true if this header has the given (long) name; letter case does not matter.
  public boolean is(String other) {
    return name.equalsIgnoreCase(other);
  }
}
