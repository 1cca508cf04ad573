package io.viaduct.webgui.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.PseudoLocale;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The texts of all languages beside the English ones.
class BundlesTest {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\d+\\}");
  private static final Object[] ARGUMENTS = {"<0>", "<1>", "<2>", "<3>", "<4>", "<5>"};

  private static List<Locale> translated() {
    return new Languages()
        .offered().stream()
            .filter(locale ->
                !locale.equals(Locale.ENGLISH) && !locale.toLanguageTag().equals(PseudoLocale.TAG))
            .toList();
  }

  @Test
  void pagesSpeakFiveLanguages() {
    assertThat(translated()).extracting(Locale::toLanguageTag).contains("it", "pl", "ko", "ja");
  }

  @Test
  void eachLanguageHasTheSameKeysAndPlaceholdersAsEnglish() throws Exception {
    Properties english = PseudoLocale.texts("messages.properties");
    for (Locale locale : translated()) {
      Properties texts = PseudoLocale.texts("messages_" + locale + ".properties");
      assertThat(new TreeSet<>(texts.stringPropertyNames()))
          .as(locale.toString())
          .isEqualTo(new TreeSet<>(english.stringPropertyNames()));
      for (String key : english.stringPropertyNames()) {
        assertThat(placeholders(texts.getProperty(key)))
            .as("%s of %s", key, locale)
            .isEqualTo(placeholders(english.getProperty(key)));
        assertThat(texts.getProperty(key)).as("%s of %s", key, locale).isNotBlank();
      }
    }
  }

  @Test
  void apostrophesAreTwoInPatternsAndOneInTexts() throws Exception {
    for (String bundle : bundles()) {
      Properties texts = PseudoLocale.texts(bundle);
      for (String key : texts.stringPropertyNames()) {
        String text = texts.getProperty(key);
        Set<String> wanted = placeholders(text);
        if (wanted.isEmpty()) {
          assertThat(text).as("%s of %s", key, bundle).doesNotContain("''");
        } else {
          String shown = new MessageFormat(text, Locale.ROOT).format(ARGUMENTS);
          wanted.forEach(placeholder ->
              assertThat(shown)
                  .as("%s of %s", key, bundle)
                  .contains(placeholder.replace('{', '<').replace('}', '>')));
          assertThat(Collections.frequency(text.chars().boxed().toList(), (int) '\'') % 2)
              .as("%s of %s: an apostrophe alone is lost", key, bundle)
              .isZero();
        }
      }
    }
  }

  private static List<String> bundles() {
    List<String> all =
        new ArrayList<>(
            translated().stream().map(locale -> "messages_" + locale + ".properties").toList());
    all.add("messages.properties");
    return all;
  }

  private static Set<String> placeholders(String text) {
    return PLACEHOLDER
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
