package io.viaduct.bridge.registrar;

import java.text.MessageFormat;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.ResourceBundle.Control;
import java.util.stream.Collectors;

/// Words of [ServiceDesk] to a user, in the languages of [CreditWords], and the questions that it
/// understands in any of them.
final class DeskWords {
  /// A user's question.
  enum Question {
    BALANCE,
    REPORT,
    /// Also every text that is none of the others.
    HELP
  }

  private static final DateTimeFormatter DAY_AND_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneOffset.UTC);

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

  private DeskWords() {}

  /// Reads a question: letter case, blanks around it and marks at its end do not count.
  static Question question(String text) {
    String word = text.strip().replaceFirst("[\\p{Punct}\\s？！。]+$", "").toLowerCase(Locale.ROOT);
    return asks("ask.balance", word)
        ? Question.BALANCE
        : asks("ask.report", word) ? Question.REPORT : Question.HELP;
  }

  private static boolean asks(String key, String word) {
    return CreditWords.LANGUAGES.stream()
        .anyMatch(language -> List.of(bundle(language).getString(key).split(",")).contains(word));
  }

  /// Returns the latest reports, one in a line.
  static String reports(AccountFacts facts, Locale language) {
    if (facts.reports().isEmpty()) {
      return bundle(language).getString("report.none");
    }
    MessageFormat line = new MessageFormat(bundle(language).getString("report.line"), language);
    return facts.reports().stream()
        .map(each ->
            line.format(
                new Object[] {
                  DAY_AND_TIME.format(each.start()),
                  TIME.format(each.end()),
                  String.format(Locale.ROOT, "%.2f", each.bytes() / 1e6),
                  CreditWords.denarii(each.net())
                }))
        .collect(Collectors.joining("\n", bundle(language).getString("report.title") + "\n", ""));
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
