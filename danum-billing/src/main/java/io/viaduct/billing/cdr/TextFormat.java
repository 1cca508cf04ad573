package io.viaduct.billing.cdr;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/// CSV (RFC 4180) with a line of heads, and JSON Lines: an object per line. Both have the fields of
/// [CdrRecord] by their names; amounts are strings in JSON, because JavaScript rounds large
/// numbers.
enum TextFormat implements CdrFormat {
  CSV {
    @Override
    public byte[] encode(CdrRecord record) {
      return (fields(record).values().stream()
                  .map(TextFormat::cell)
                  .collect(Collectors.joining(","))
              + "\r\n")
          .getBytes(UTF_8);
    }

    @Override
    byte[] begin() {
      return (Arrays.stream(CdrRecord.class.getRecordComponents())
                  .map(component -> component.getName())
                  .collect(Collectors.joining(","))
              + "\r\n")
          .getBytes(UTF_8);
    }
  },
  JSONL {
    @Override
    public byte[] encode(CdrRecord record) {
      return (JSON.writeValueAsString(fields(record)) + "\n").getBytes(UTF_8);
    }

    @Override
    byte[] begin() {
      return new byte[0];
    }
  };

  private static final JsonMapper JSON = JsonMapper.shared();

  abstract byte[] begin();

  @Override
  public byte[] file(Head head, List<byte[]> records) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(begin());
    records.forEach(file::writeBytes);
    return file.toByteArray();
  }

  @Override
  public String extension() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  private static Map<String, String> fields(CdrRecord record) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (var component : CdrRecord.class.getRecordComponents()) {
      try {
        fields.put(component.getName(), String.valueOf(component.getAccessor().invoke(record)));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("a record has its own fields", e);
      }
    }
    return fields;
  }

  private static String cell(String text) {
    return text.chars().anyMatch(c -> c == '"' || c == ',' || c == '\r' || c == '\n')
        ? '"' + text.replace("\"", "\"\"") + '"'
        : text;
  }
}
