package io.viaduct.sip;

import java.util.Locale;

/// Transport protocol of a SIP message, as written in Via and in the `transport` URI parameter.
public enum Transport {
  UDP,
  TCP;

  /// Returns the value of the `transport` URI parameter, in lower case.
  public String parameter() {
    return name().toLowerCase(Locale.ROOT);
  }
}
