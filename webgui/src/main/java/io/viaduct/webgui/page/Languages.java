package io.viaduct.webgui.page;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The languages that the pages speak: those whose bundle exists. English is `messages.properties`.
public final class Languages {
  /// `en-XA` is the pseudo-locale: only tests have its bundle.
  private static final List<String> KNOWN = List.of("it", "pl", "ko", "ja", "en-XA");

  private final List<Locale> offered;

  public Languages() {
    offered =
        Stream.concat(
                Stream.of(Locale.ENGLISH),
                KNOWN.stream().map(Locale::forLanguageTag).filter(Languages::hasBundle))
            .toList();
  }

  private static boolean hasBundle(Locale locale) {
    return Languages.class.getResource("/messages_" + locale + ".properties") != null;
  }

  /// In the order in which the pages offer them.
  public List<Locale> offered() {
    return offered;
  }

  /// The offered language with that tag (BCP 47).
  Optional<Locale> find(String tag) {
    return offered.stream().filter(locale -> locale.toLanguageTag().equals(tag)).findFirst();
  }

  /// The best match to a browser's wishes (RFC 4647 lookup), English if there is none.
  Locale best(@Nullable String acceptLanguage) {
    if (acceptLanguage == null) {
      return Locale.ENGLISH;
    }
    try {
      Locale found = Locale.lookup(Locale.LanguageRange.parse(acceptLanguage), offered);
      return found == null ? Locale.ENGLISH : found;
    } catch (IllegalArgumentException e) {
      return Locale.ENGLISH; // a header that is no list of languages wishes nothing
    }
  }

  /// A language's name in that language.
  public String name(Locale locale) {
    return locale.getDisplayName(locale);
  }
}
