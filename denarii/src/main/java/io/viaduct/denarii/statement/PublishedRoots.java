package io.viaduct.denarii.statement;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Reads published roots as billing gives them: one, or a list under `roots`.
public final class PublishedRoots {
  private static final int HEX_LENGTH = 64;

  private PublishedRoots() {}

  /// Reads a file, or each `.json` file of a directory.
  ///
  /// @throws IllegalArgumentException if a file has no root
  public static TreeMap<LocalDate, ByteString> read(Path place) throws IOException {
    TreeMap<LocalDate, ByteString> roots = new TreeMap<>();
    for (Path file : files(place)) {
      JsonNode json;
      try {
        json = JsonMapper.shared().readTree(Files.readString(file));
      } catch (JacksonException _) {
        throw new IllegalArgumentException(file + " is not JSON");
      }
      try {
        for (JsonNode each : json.has("roots") ? json.path("roots") : List.of(json)) {
          Fields root = new Fields(each);
          roots.put(root.day("day"), root(root.text("root")));
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(file + " has no published root: " + e.getMessage());
      }
    }
    return roots;
  }

  private static List<Path> files(Path place) throws IOException {
    if (!Files.isDirectory(place)) {
      return List.of(place);
    }
    try (Stream<Path> inside = Files.list(place)) {
      return inside.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  /// Returns the octets of a root.
  ///
  /// @throws IllegalArgumentException if it does not have 64 hexadecimal digits
  public static ByteString root(String hex) {
    try {
      if (hex.length() == HEX_LENGTH) {
        return ByteString.copyFrom(HexFormat.of().parseHex(hex));
      }
    } catch (IllegalArgumentException _) {
      // told below
    }
    throw new IllegalArgumentException("a root must have 64 hexadecimal digits, got '" + hex + "'");
  }
}
