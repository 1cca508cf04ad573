package io.viaduct.usage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Reads the golden bytes of usage messages from docs/protocol.md.
final class GoldenPage {
  private static final Pattern LINE =
      Pattern.compile("^golden-usage (\\S+) ([0-9a-f]+)$", Pattern.MULTILINE);

  private GoldenPage() {}

  /// Returns the bytes as hexadecimal digits, by the name of the message.
  static Map<String, String> messages() throws IOException {
    Map<String, String> page = new TreeMap<>();
    LINE.matcher(Files.readString(Path.of(System.getProperty("viaduct.root"), "docs/protocol.md")))
        .results()
        .forEach(line -> page.put(line.group(1), line.group(2)));
    return page;
  }
}
