package io.viaduct.denarii.document;

import java.util.ArrayList;
import java.util.List;

/// Reads CSV (RFC 4180): fields with commas, quotes and line ends in quotes; CRLF, LF or CR; a byte
/// order mark is skipped, and so are empty lines.
final class Csv {
  private static final char QUOTE = '"';
  private static final char BYTE_ORDER_MARK = '\ufeff';

  private final String text;
  private int at;
  private int line = 1;

  private Csv(String text) {
    this.text = text;
    at = text.startsWith(String.valueOf(BYTE_ORDER_MARK)) ? 1 : 0;
  }

  /// A record.
  ///
  /// @param line number of the line that it begins in, from 1 on
  record Record(int line, List<String> fields) {
    Record {
      fields = List.copyOf(fields);
    }
  }

  /// Returns all records.
  ///
  /// @throws IllegalArgumentException naming the line where the text is not CSV
  static List<Record> read(String text) {
    Csv csv = new Csv(text);
    List<Record> records = new ArrayList<>();
    while (csv.at < text.length()) {
      Record record = csv.record();
      if (record.fields.size() > 1 || !record.fields.getFirst().isEmpty()) {
        records.add(record);
      }
    }
    return records;
  }

  private Record record() {
    int begin = line;
    List<String> fields = new ArrayList<>();
    fields.add(field());
    while (at < text.length() && text.charAt(at) == ',') {
      at++;
      fields.add(field());
    }
    lineEnd();
    return new Record(begin, fields);
  }

  private String field() {
    if (at < text.length() && text.charAt(at) == QUOTE) {
      return quoted();
    }
    int begin = at;
    while (at < text.length() && ",\r\n".indexOf(text.charAt(at)) < 0) {
      if (text.charAt(at) == QUOTE) {
        throw AccountFile.refused(line, "a quote inside a field that has none around it");
      }
      at++;
    }
    return text.substring(begin, at);
  }

  private String quoted() {
    int begin = line;
    StringBuilder field = new StringBuilder();
    at++;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c != QUOTE) {
        field.append(c);
        line += c == '\n' ? 1 : 0;
      } else if (at < text.length() && text.charAt(at) == QUOTE) {
        field.append(QUOTE);
        at++;
      } else if (at == text.length() || ",\r\n".indexOf(text.charAt(at)) >= 0) {
        return field.toString();
      } else {
        throw AccountFile.refused(line, "a quoted field goes on after its last quote");
      }
    }
    throw AccountFile.refused(begin, "a quote is never closed");
  }

  private void lineEnd() {
    if (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '\r' && at < text.length() && text.charAt(at) == '\n') {
        at++;
      }
      line++;
    }
  }
}
