package io.viaduct.cnapt.links;

import java.util.regex.Pattern;

/// The name of an interface, or a pattern in which each `*` stands for any characters, such as
/// `wlan*`.
public record LinkPattern(String text) {
  // dev_valid_name of net/core/dev.c: no '/', ':' or white space, at most 15 bytes.
  private static final Pattern VALID = Pattern.compile("[^/:\\s]{1,15}");
  private static final String ANY = "*";

  /// The pattern of every interface.
  static final LinkPattern EVERY = new LinkPattern(ANY);

  /// Checks the form.
  public LinkPattern {
    if (!VALID.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "name must be an interface or a pattern such as wlan*, of 1 to 15 characters without"
              + " '/', ':' and spaces, got '"
              + text
              + "'");
    }
  }

  /// Parses a value of the configuration.
  public static LinkPattern of(String text) {
    return new LinkPattern(text);
  }

  /// Returns true if an interface of this name is meant.
  public boolean matches(String name) {
    return matches(text, name);
  }

  /// Returns true if this pattern matches every name that the other one matches. A `*` of the other
  /// one stands for any characters, so only a `*` of this one matches it.
  public boolean covers(LinkPattern other) {
    return matches(text, other.text);
  }

  /// Returns true if both patterns match a name in common.
  boolean meets(LinkPattern other) {
    String one = text;
    String two = other.text;
    boolean[][] rest = new boolean[one.length() + 1][two.length() + 1]; // of both, from i and j
    for (int i = one.length(); i >= 0; i--) {
      for (int j = two.length(); j >= 0; j--) {
        boolean oneEnds = i == one.length();
        boolean twoEnds = j == two.length();
        boolean oneIsAny = !oneEnds && one.startsWith(ANY, i);
        boolean twoIsAny = !twoEnds && two.startsWith(ANY, j);
        if (oneIsAny || twoIsAny) {
          // The star of one stands for nothing, or for the next character of the other.
          rest[i][j] = !oneEnds && rest[i + 1][j] || !twoEnds && rest[i][j + 1];
        } else {
          rest[i][j] =
              oneEnds && twoEnds
                  || !oneEnds && !twoEnds && one.charAt(i) == two.charAt(j) && rest[i + 1][j + 1];
        }
      }
    }
    return rest[0][0];
  }

  private static boolean matches(String pattern, String name) {
    int star = pattern.indexOf(ANY);
    if (star < 0) {
      return pattern.equals(name);
    }
    if (!name.startsWith(pattern.substring(0, star))) {
      return false;
    }
    String rest = pattern.substring(star + 1);
    for (int from = star; from <= name.length(); from++) {
      if (matches(rest, name.substring(from))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return text;
  }
}
