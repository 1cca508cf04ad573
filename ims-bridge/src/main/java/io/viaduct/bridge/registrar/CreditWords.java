package io.viaduct.bridge.registrar;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.text.MessageFormat;
import java.util.List;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.ResourceBundle.Control;

/// Words to a user about the credit, in the languages of the pages.
final class CreditWords {
  static final List<Locale> LANGUAGES =
      List.of(Locale.ENGLISH, Locale.ITALIAN, Locale.JAPANESE, Locale.KOREAN, Locale.of("pl"));

  /// Micro-denarii have six decimals; of them, a user is told two.
  private static final int MICRO = 6;

  private static final int DECIMALS = 2;

  private CreditWords() {}

  /// Returns the language that fits a header Accept-Language (RFC 3261 section 20.3) best; English
  /// if none does, or if there is no such header.
  static Locale language(String accepted) {
    try {
      Locale best =
          accepted.isBlank()
              ? null
              : Locale.lookup(Locale.LanguageRange.parse(accepted), LANGUAGES);
      return best == null ? Locale.ENGLISH : best;
    } catch (IllegalArgumentException _) {
      return Locale.ENGLISH;
    }
  }

  /// Returns what a notice says: the credit, the threshold, and what happens at zero.
  ///
  /// @param language one that [#language] has returned
  static String of(CreditNotice notice, Locale language) {
    String pattern =
        ResourceBundle.getBundle(
                CreditWords.class.getName(),
                language,
                Control.getNoFallbackControl(Control.FORMAT_PROPERTIES))
            .getString(notice.state() == CreditState.EXHAUSTED ? "exhausted" : "low");
    return new MessageFormat(pattern, language)
        .format(
            new Object[] {
              denarii(notice.creditMicrodenarii()), denarii(notice.thresholdMicrodenarii())
            });
  }

  // Rounded down: a user must not be told more than there is.
  static String denarii(long microdenarii) {
    return BigDecimal.valueOf(microdenarii, MICRO)
        .setScale(DECIMALS, RoundingMode.FLOOR)
        .toPlainString();
  }
}
