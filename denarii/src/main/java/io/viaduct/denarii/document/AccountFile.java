package io.viaduct.denarii.document;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A CSV file of accounts, as other systems export it. Each refusal names the line.
public final class AccountFile {
  private static final String ID = "id";
  private static final Set<String> COLUMNS = Set.of(ID, "name", "role", "password");
  private static final long BYTES_MAX = 64L << 20;
  private static final int ID_LENGTH_MAX = 64;

  private AccountFile() {}

  /// An account of the file. Billing checks the rest of its rules.
  ///
  /// @param line number of the line in the file, from 1 on
  /// @param displayName null for the id
  /// @param password null for an account without one
  public record Line(
      int line, String id, @Nullable String displayName, String role, @Nullable String password) {
    @Override
    public String toString() {
      return "Line[" + line + ", id=" + id + "]";
    }
  }

  /// Reads the whole file.
  ///
  /// @throws IllegalArgumentException naming the line and the rule that it breaks
  public static List<Line> read(Path file) throws IOException {
    if (Files.size(file) > BYTES_MAX) {
      throw new IllegalArgumentException(
          "%s has more than %d MiB: split it".formatted(file, BYTES_MAX >> 20));
    }
    List<Csv.Record> records = Csv.read(text(file));
    if (records.isEmpty()) {
      throw new IllegalArgumentException(file + " is empty: its first line names the columns");
    }
    Map<String, Integer> columns = columns(records.getFirst());
    List<Line> lines = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    for (Csv.Record record : records.subList(1, records.size())) {
      Line line = line(record, columns);
      Integer before = seen.putIfAbsent(line.id(), line.line());
      if (before != null) {
        throw refused(line.line(), "'%s' is in line %d too".formatted(line.id(), before));
      }
      lines.add(line);
    }
    return lines;
  }

  // A file of another encoding would make other names of them.
  private static String text(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "line %d is not UTF-8: convert the file, for example with iconv -f latin1 -t utf-8"
              .formatted(lineOfBroken(bytes)));
    }
  }

  private static int lineOfBroken(byte[] bytes) {
    int line = 1;
    int begin = 0;
    for (int i = 0; i <= bytes.length; i++) {
      if (i == bytes.length || bytes[i] == '\n') {
        try {
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, begin, i - begin));
        } catch (CharacterCodingException e) {
          return line;
        }
        line++;
        begin = i + 1;
      }
    }
    return line;
  }

  private static Map<String, Integer> columns(Csv.Record header) {
    Map<String, Integer> columns = new HashMap<>();
    for (int i = 0; i < header.fields().size(); i++) {
      String name = header.fields().get(i).strip().toLowerCase(Locale.ROOT);
      if (!COLUMNS.contains(name)) {
        throw refused(
            header.line(), "'%s' is no column: id, name, role or password".formatted(name));
      }
      if (columns.put(name, i) != null) {
        throw refused(header.line(), "the column '%s' is there twice".formatted(name));
      }
    }
    if (!columns.containsKey(ID)) {
      throw refused(header.line(), "the column 'id' is missing");
    }
    return columns;
  }

  private static Line line(Csv.Record record, Map<String, Integer> columns) {
    if (record.fields().size() != columns.size()) {
      throw refused(
          record.line(),
          "%d fields, and the header has %d".formatted(record.fields().size(), columns.size()));
    }
    String id = field(record, columns, ID).strip();
    if (!id.matches("[A-Za-z0-9._-]{1," + ID_LENGTH_MAX + "}")) {
      throw refused(
          record.line(), "the id must be 1 to 64 of A-Z a-z 0-9 . _ -, got '%s'".formatted(id));
    }
    String name = field(record, columns, "name").strip();
    String role = field(record, columns, "role").strip().toLowerCase(Locale.ROOT);
    String password = field(record, columns, "password");
    return new Line(
        record.line(),
        id,
        name.isEmpty() ? null : name,
        role.isEmpty() ? "user" : role,
        password.isEmpty() ? null : password);
  }

  private static String field(Csv.Record record, Map<String, Integer> columns, String name) {
    Integer column = columns.get(name);
    return column == null ? "" : record.fields().get(column);
  }

  static IllegalArgumentException refused(int line, String why) {
    return new IllegalArgumentException("line %d: %s".formatted(line, why));
  }
}
