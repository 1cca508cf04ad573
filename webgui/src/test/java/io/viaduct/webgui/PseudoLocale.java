package io.viaduct.webgui;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.TreeMap;

/// A language that no package contains: each text of `messages.properties` in brackets. A text
/// without brackets on a page does not come from a bundle.
public final class PseudoLocale {
  /// BCP 47, as Android and ICU name such a language.
  public static final String TAG = "en-XA";

  public static final String OPEN = "\u27e6";
  public static final String CLOSE = "\u27e7";

  private PseudoLocale() {}

  /// Writes the bundle beside the classes of the tests; before the pages start.
  static void write() {
    try {
      StringBuilder bundle = new StringBuilder();
      new TreeMap<>(texts("messages.properties"))
          .forEach((key, text) -> bundle.append(line(key.toString(), text.toString())));
      URL classes = PseudoLocale.class.getProtectionDomain().getCodeSource().getLocation();
      Path directory = Path.of(classes.toURI());
      Files.writeString(directory.resolve("messages_en_XA.properties"), bundle);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String line(String key, String text) {
    String value = (OPEN + text + CLOSE).replace("\\", "\\\\").replace("\n", "\\n");
    return key.replace(" ", "\\ ").replace(":", "\\:").replace("=", "\\=") + "=" + value + "\n";
  }

  /// The texts of a bundle.
  public static Properties texts(String bundle) throws IOException {
    Properties texts = new Properties();
    try (Reader reader =
        new InputStreamReader(
            PseudoLocale.class.getResourceAsStream("/" + bundle), StandardCharsets.UTF_8)) {
      texts.load(reader);
    }
    return texts;
  }
}
