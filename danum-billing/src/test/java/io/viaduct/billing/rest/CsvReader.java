package io.viaduct.billing.rest;

import java.util.ArrayList;
import java.util.List;

/// Reads CSV strictly by the grammar of RFC 4180: any other line end or quote is an error.
final class CsvReader {
  private CsvReader() {}

  static List<List<String>> read(String text) {
    List<List<String>> rows = new ArrayList<>();
    List<String> row = new ArrayList<>();
    int at = 0;
    while (at < text.length()) {
      StringBuilder cell = new StringBuilder();
      if (text.charAt(at) == '"') {
        at++;
        while (text.charAt(at) != '"' || text.startsWith("\"\"", at)) {
          at += text.startsWith("\"\"", at) ? 1 : 0;
          cell.append(text.charAt(at++));
        }
        at++;
      } else {
        while (",\r\n\"".indexOf(text.charAt(at)) < 0) {
          cell.append(text.charAt(at++));
        }
      }
      row.add(cell.toString());
      if (text.charAt(at) == ',') {
        at++;
      } else if (text.startsWith("\r\n", at)) {
        at += 2;
        rows.add(row);
        row = new ArrayList<>();
      } else {
        throw new AssertionError(
            "no RFC 4180 at " + at + ": " + text.substring(Math.max(0, at - 20), at + 1));
      }
    }
    return rows;
  }
}
