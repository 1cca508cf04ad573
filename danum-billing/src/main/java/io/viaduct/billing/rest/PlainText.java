package io.viaduct.billing.rest;

import java.util.Optional;

/// Checks texts that people type and other people read: names, references, reasons. Control and
/// format characters (Unicode Cc, Cf, Zl, Zp) are refused: they are invisible but change how the
/// text around them is shown, e.g. U+202E RIGHT-TO-LEFT OVERRIDE. Unpaired surrogates are refused
/// because the database cannot store them.
final class PlainText {
  private PlainText() {}

  /// Returns the text if it obeys the rule.
  ///
  /// @param key name of the key or parameter, for the refusal
  /// @throws ProblemException if the text breaks the rule
  static String require(String key, String text, int lengthMax) {
    String rule =
        "%s must have at most %d characters, none of them a control or format character"
            .formatted(key, lengthMax);
    if (text.length() > lengthMax) {
      throw ProblemException.invalid(rule + ": got " + text.length() + " characters");
    }
    firstInvisible(text)
        .ifPresent(c -> {
          throw ProblemException.invalid(rule + ": got " + c);
        });
    return text;
  }

  private static Optional<String> firstInvisible(String text) {
    return text.codePoints()
        .filter(PlainText::isInvisible)
        .mapToObj("U+%04X"::formatted)
        .findFirst();
  }

  private static boolean isInvisible(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
