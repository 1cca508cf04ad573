package io.viaduct.cnapt.egress;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A user id or a range of user ids, such as `1000` or `1000-1099`; both ends are included.
public record UserRange(long first, long last) {
  private static final Pattern TEXT = Pattern.compile("(\\d{1,10})(?:-(\\d{1,10}))?");
  private static final long ID_MAX = 0xffff_fffeL; // uid_t −1 is no user

  /// Parses a user id or a range.
  ///
  /// @throws IllegalArgumentException naming the form and the value
  public static UserRange of(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (matcher.matches()) {
      long first = Long.parseLong(matcher.group(1));
      long last = matcher.group(2) == null ? first : Long.parseLong(matcher.group(2));
      if (first <= last && last <= ID_MAX) {
        return new UserRange(first, last);
      }
    }
    throw new IllegalArgumentException(
        "a user must be a number (id -u NAME) or a range such as 1000-1099, got '" + text + "'");
  }

  @Override
  public String toString() {
    return first == last ? String.valueOf(first) : first + "-" + last;
  }
}
