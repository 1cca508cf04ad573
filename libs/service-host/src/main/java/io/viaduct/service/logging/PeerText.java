package io.viaduct.service.logging;

/// Makes the text of a peer fit for a log and a terminal.
public final class PeerText {
  /// Length of a peer's sentence, in characters.
  private static final int WORDS_MAX = 200;

  private PeerText() {}

  /// Returns the first 200 characters, with `?` in place of each control character.
  public static String printable(String words) {
    return printable(words, WORDS_MAX);
  }

  /// Returns the first characters, with `?` in place of each control character.
  ///
  /// @param most number of characters to keep
  public static String printable(String words, int most) {
    return words.substring(0, Math.min(words.length(), most)).replaceAll("\\p{Cc}", "?");
  }

  /// Returns text of printable ASCII characters, with `?` in place of each other one. A text that
  /// is too long is cut and ends with `...`.
  ///
  /// @param most length of the result, at least 3
  public static String ascii(String words, int most) {
    String clean = words.replaceAll("[^\\x20-\\x7e]", "?");
    return clean.length() <= most ? clean : clean.substring(0, most - 3) + "...";
  }
}
