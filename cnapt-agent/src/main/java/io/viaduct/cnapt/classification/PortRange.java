package io.viaduct.cnapt.classification;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A port or a range of ports, such as `22` or `5900-5909`; both ends are included.
public record PortRange(int first, int last) {
  private static final Pattern TEXT = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

  /// Parses a port or a range.
  ///
  /// @throws IllegalArgumentException naming the form and the value
  public static PortRange of(String value) {
    Matcher matcher = TEXT.matcher(value);
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

  /// Returns true for a port of the range.
  public boolean holds(int port) {
    return port >= first && port <= last;
  }

  @Override
  public String toString() {
    return first == last ? String.valueOf(first) : first + "-" + last;
  }
}
