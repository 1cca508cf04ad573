package io.viaduct.webgui.statement;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.openpdf.text.Font;
import org.openpdf.text.Phrase;
import org.openpdf.text.pdf.BaseFont;
import org.openpdf.text.pdf.FontSelector;

/// Fonts of a statement; the document embeds the letters that it uses. Each letter comes from the
/// first font that has it: Liberation for Europe, then M+ for Japanese and Nanum for Korean (in a
/// Korean document the other way round, because both have ideographs).
final class StatementFonts {
  private static final float TITLE = 16;
  private static final float BODY = 9;

  private final List<BaseFont> plain;
  private final FontSelector body;
  private final FontSelector bold;
  private final FontSelector title;

  /// Loads the fonts.
  ///
  /// @param locale language of the document
  StatementFonts(Locale locale) throws IOException {
    BaseFont mplus = font("fonts/mplus/Mplus1-Regular.otf");
    BaseFont nanum = font("fonts/nanum/NanumSquareR.ttf");
    List<BaseFont> asia =
        Locale.KOREAN.getLanguage().equals(locale.getLanguage())
            ? List.of(nanum, mplus)
            : List.of(mplus, nanum);
    BaseFont europe = font("liberation/LiberationSans-Regular.ttf");
    BaseFont strong = font("liberation/LiberationSans-Bold.ttf");
    plain = new ArrayList<>(List.of(europe));
    plain.addAll(asia);
    body = selector(europe, asia, BODY, Font.NORMAL);
    bold = selector(strong, asia, BODY, Font.BOLD);
    title = selector(strong, asia, TITLE, Font.BOLD);
  }

  private static BaseFont font(String resource) throws IOException {
    return BaseFont.createFont(resource, BaseFont.IDENTITY_H, BaseFont.EMBEDDED);
  }

  // The fonts of Asia have one weight; OpenPDF draws their bold letters with a thicker line.
  private static FontSelector selector(
      BaseFont first, List<BaseFont> others, float size, int style) {
    var selector = new FontSelector();
    selector.addFont(new Font(first, size));
    others.forEach(other -> selector.addFont(new Font(other, size, style)));
    return selector;
  }

  /// Returns whether the fonts have each letter of a text.
  boolean haveLettersOf(String text) {
    return text.chars()
        .allMatch(letter -> plain.stream().anyMatch(font -> font.charExists(letter)));
  }

  Phrase body(String text) {
    return body.process(text);
  }

  Phrase bold(String text) {
    return bold.process(text);
  }

  Phrase title(String text) {
    return title.process(text);
  }
}
