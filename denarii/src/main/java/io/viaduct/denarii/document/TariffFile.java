package io.viaduct.denarii.document;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// Tariff documents in files: YAML, of which JSON is a part.
public final class TariffFile {
  private static final YAMLMapper YAML = new YAMLMapper();

  private TariffFile() {}

  /// Reads a document.
  ///
  /// @throws IllegalArgumentException if it is no YAML or JSON object
  /// @throws IOException if the file cannot be read
  public static ObjectNode read(Path file) throws IOException {
    try {
      if (YAML.readTree(Files.readString(file)) instanceof ObjectNode document) {
        return document;
      }
      throw new IllegalArgumentException(file + " must be a tariff document: YAML or JSON");
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "%s is neither YAML nor JSON: line %d, column %d: %s"
              .formatted(
                  file,
                  e.getLocation() == null ? 0 : e.getLocation().getLineNr(),
                  e.getLocation() == null ? 0 : e.getLocation().getColumnNr(),
                  e.getOriginalMessage().lines().findFirst().orElse("")),
          e);
    }
  }

  /// Returns a document as YAML.
  public static String text(JsonNode document) {
    return YAML.writeValueAsString(document).replaceFirst("^---\\s*", "");
  }
}
