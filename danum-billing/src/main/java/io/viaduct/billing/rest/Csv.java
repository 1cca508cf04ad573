package io.viaduct.billing.rest;

import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;

/// Writes lists as CSV (RFC 4180): UTF-8, a header line, CRLF. A text that a spreadsheet would run
/// as a formula gets an apostrophe in front. Only one page is in memory at a time. No database
/// connection is held while a slow reader takes the file.
final class Csv {
  /// Media type as in RFC 4180, section 3.
  static final String MEDIA_TYPE = "text/csv;charset=UTF-8;header=present";

  static final MediaType PLAIN_TYPE = new MediaType("text", "csv");

  private static final Logger LOG = LoggerFactory.getLogger(Csv.class);

  // OWASP, CSV injection. Japanese spreadsheets also take the full-width characters.
  private static final String FORMULA_BEGINS = "=+-@\t\r\n＝＋－＠";

  private Csv() {}

  /// Sends a list as a file, with one column for each component of the rows.
  ///
  /// @param name file name without its extension: letters, digits, `.`, `_`, `-`
  /// @param pages returns the page for a cursor; the first call passes null
  /// @throws IOException if the reader closed the connection, or if the database failed after the
  ///   file had begun. The answer then breaks off, so that nobody takes a part of the file for all
  ///   of it
  static <T extends Record> void send(
      HttpServletResponse response,
      String name,
      Class<T> rows,
      Function<@Nullable String, Page<T>> pages)
      throws IOException {
    Page<T> page = pages.apply(null);
    response.setContentType(MEDIA_TYPE);
    response.setHeader(
        HttpHeaders.CONTENT_DISPOSITION, "attachment; filename=\"viaduct-" + name + ".csv\"");
    Writer out =
        new BufferedWriter(
            new OutputStreamWriter(response.getOutputStream(), StandardCharsets.UTF_8));
    List<RecordComponent> columns = List.of(rows.getRecordComponents());
    out.write(columns.stream().map(RecordComponent::getName).collect(Collectors.joining(",")));
    out.write("\r\n");
    write(out, columns, page.items());
    while (page.next() != null) {
      try {
        page = pages.apply(page.next());
      } catch (RuntimeException e) {
        LOG.warn("the export {} was aborted: {}", name, e.toString());
        // The cause is left out: an answer that has begun cannot become a problem any more.
        throw new IOException("the export was aborted");
      }
      write(out, columns, page.items());
    }
    out.flush();
  }

  private static <T extends Record> void write(
      Writer out, List<RecordComponent> columns, List<T> rows) throws IOException {
    for (T row : rows) {
      for (int i = 0; i < columns.size(); i++) {
        out.write((i == 0 ? "" : ",") + cell(value(columns.get(i), row)));
      }
      out.write("\r\n");
    }
  }

  /// Returns one cell. Text is guarded against formulas and quoted where necessary; numbers and
  /// times are written unchanged.
  static String cell(@Nullable Object value) {
    if (value == null) {
      return "";
    }
    if (!(value instanceof String text)) {
      return value.toString();
    }
    boolean formula = !text.isEmpty() && FORMULA_BEGINS.indexOf(text.charAt(0)) >= 0;
    String safe = formula ? "'" + text : text;
    return safe.chars().anyMatch(c -> c == '"' || c == ',' || c == '\r' || c == '\n')
        ? '"' + safe.replace("\"", "\"\"") + '"'
        : safe;
  }

  private static @Nullable Object value(RecordComponent column, Record row) {
    try {
      return column.getAccessor().invoke(row);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          column + " of " + Arrays.toString(row.getClass().getRecordComponents()), e);
    }
  }
}
