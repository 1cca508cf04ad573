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
    public byte[] encode(CdrRecord record, int fields) {
      return (record.fields(fields).values().stream()
                  .map(value -> cell(value.toString()))
                  .collect(Collectors.joining(","))
              + "\r\n")
          .getBytes(UTF_8);
    }

    @Override
    byte[] begin(int fields) {
      return (Arrays.stream(CdrRecord.class.getRecordComponents())
                  .limit(fields)
                  .map(component -> component.getName())
                  .collect(Collectors.joining(","))
              + "\r\n")
          .getBytes(UTF_8);
    }
  },
  JSONL {
    @Override
    public byte[] encode(CdrRecord record, int fields) {
      Map<String, String> texts = new LinkedHashMap<>();
      record.fields(fields).forEach((name, value) -> texts.put(name, value.toString()));
      return (JSON.writeValueAsString(texts) + "\n").getBytes(UTF_8);
    }

    @Override
    byte[] begin(int fields) {
      return new byte[0];
    }
  };

  private static final JsonMapper JSON = JsonMapper.shared();

  /// @param fields number of fields of each record
  abstract byte[] begin(int fields);

  @Override
  public byte[] file(Head head, List<byte[]> records) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(begin(head.fields()));
    records.forEach(file::writeBytes);
    return file.toByteArray();
  }

  @Override
  public String extension() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  private static String cell(String text) {
    return text.chars().anyMatch(c -> c == '"' || c == ',' || c == '\r' || c == '\n')
        ? '"' + text.replace("\"", "\"\"") + '"'
        : text;
  }
}
