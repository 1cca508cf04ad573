package io.viaduct.billing.rest;

import java.util.Optional;

/// The rule for every text that people type and other people read: names, references, reasons. A
/// control or format character (Unicode Cc, Cf, Zl, Zp) such as U+202E RIGHT-TO-LEFT OVERRIDE is
/// not seen, but changes how the text around it is read. Half a surrogate pair cannot be stored.
final class PlainText {
  private PlainText() {}

  /// Returns the text if it keeps the rule.
  ///
  /// @param key name of the key or parameter, for the refusal
  static String require(String key, String text, int lengthMax) {
    String rule =
        "%s must have at most %d characters, none of them a control or format character"
            .formatted(key, lengthMax);
    if (text.length() > lengthMax) {
      throw ProblemException.invalid(rule + ": got " + text.length() + " characters");
    }
    firstUnseen(text)
        .ifPresent(c -> {
          throw ProblemException.invalid(rule + ": got " + c);
        });
    return text;
  }

  private static Optional<String> firstUnseen(String text) {
    return text.codePoints().filter(PlainText::unseen).mapToObj("U+%04X"::formatted).findFirst();
  }

  private static boolean unseen(int codePoint) {
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
