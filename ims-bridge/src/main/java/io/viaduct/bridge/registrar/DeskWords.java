package io.viaduct.bridge.registrar;

import java.text.MessageFormat;
import java.util.List;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.ResourceBundle.Control;

/// Words of [ServiceDesk] to a user, in the languages of [CreditWords], and the questions that it
/// understands in any of them.
final class DeskWords {
  /// A user's question.
  enum Question {
    BALANCE,
    /// Also every text that is none of the others.
    HELP
  }

  private DeskWords() {}

  /// Reads a question: letter case, blanks around it and marks at its end do not count.
  static Question question(String text) {
    String word = text.strip().replaceFirst("[\\p{Punct}\\s？！。]+$", "").toLowerCase(Locale.ROOT);
    return CreditWords.LANGUAGES.stream()
            .anyMatch(language ->
                List.of(bundle(language).getString("ask.balance").split(",")).contains(word))
        ? Question.BALANCE
        : Question.HELP;
  }

  /// Returns balance and today's spend.
  static String balance(AccountFacts facts, Locale language) {
    return new MessageFormat(bundle(language).getString("balance"), language)
        .format(
            new Object[] {
              CreditWords.denarii(facts.balance()),
              CreditWords.denarii(facts.available()),
              CreditWords.denarii(facts.spentToday())
            });
  }

  /// Returns the list of what can be asked.
  static String help(Locale language) {
    return bundle(language).getString("help");
  }

  /// Returns that billing does not answer.
  static String away(Locale language) {
    return bundle(language).getString("away");
  }

  private static ResourceBundle bundle(Locale language) {
    return ResourceBundle.getBundle(
        DeskWords.class.getName(),
        language,
        Control.getNoFallbackControl(Control.FORMAT_PROPERTIES));
  }
}
