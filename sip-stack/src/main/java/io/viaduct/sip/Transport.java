package io.viaduct.sip;

import java.util.Locale;

/// Transport protocol of a SIP message, as written in Via and in the `transport` URI parameter.
public enum Transport {
  UDP,
  TCP;

  /// The value of the `transport` parameter: lower case.
  public String parameter() {
    return name().toLowerCase(Locale.ROOT);
  }
}
