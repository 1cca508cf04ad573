package io.viaduct.denarii.document;

import io.viaduct.service.configuration.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A file with the keys of a card: lines `name=value`, `#` begins a comment. No refusal repeats a
/// value.
public final class CardFile {
  private static final Set<String> NAMES = Set.of("k", "op", "opc", "amf");
  private static final long BYTES_MAX = 4096;

  private CardFile() {}

  /// Reads the keys, as billing takes them. Billing checks the values.
  ///
  /// @throws IllegalArgumentException naming the line and the rule that it breaks, or that others
  ///   may read the file
  public static Map<String, String> read(Path file) throws IOException {
    PrivateFile.require(file);
    if (Files.size(file) > BYTES_MAX) {
      throw new IllegalArgumentException(file + " is no file of a card: it has more than 4 KiB");
    }
    Map<String, String> keys = new LinkedHashMap<>();
    List<String> lines = Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int equals = line.indexOf('=');
      String name = equals < 0 ? "" : line.substring(0, equals).strip();
      if (!NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "%s, line %d: write k=…, opc=… or op=…, and of choice amf=…".formatted(file, i + 1));
      }
      if (keys.put(name, line.substring(equals + 1).strip()) != null) {
        throw new IllegalArgumentException(
            "%s, line %d: %s is given twice".formatted(file, i + 1, name));
      }
    }
    return keys;
  }
}
