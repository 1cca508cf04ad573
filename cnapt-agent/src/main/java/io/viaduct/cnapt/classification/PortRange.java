package io.viaduct.cnapt.classification;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A port or a range of ports, such as `22` or `5900-5909`; both ends are included.
record PortRange(int first, int last) {
  private static final Pattern TEXT = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

  static PortRange of(Object value) {
    Matcher matcher = TEXT.matcher(String.valueOf(value));
    if (matcher.matches()) {
      int first = Integer.parseInt(matcher.group(1));
      int last = matcher.group(2) == null ? first : Integer.parseInt(matcher.group(2));
      if (first >= 1 && first <= last && last <= 65535) {
        return new PortRange(first, last);
      }
    }
    throw new IllegalArgumentException(
        "port must be a number from 1 to 65535 or a range such as 5900-5909, got '" + value + "'");
  }

  boolean holds(int port) {
    return port >= first && port <= last;
  }
}
