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
/// as a formula gets an apostrophe in front. One page is in memory at a time, and no connection to
/// the database is held while a slow reader takes it.
final class Csv {
  /// As in RFC 4180, section 3.
  static final String MEDIA_TYPE = "text/csv;charset=UTF-8;header=present";

  static final MediaType PLAIN_TYPE = new MediaType("text", "csv");

  private static final Logger LOG = LoggerFactory.getLogger(Csv.class);

  // OWASP, CSV injection; the wide forms are what Japanese spreadsheets take for the same.
  private static final String FORMULA_BEGINS = "=+-@\t\r\n＝＋－＠";

  private Csv() {}

  /// Sends a list as a file, with a column for each component of its rows.
  ///
  /// @param name of the file, without its ending: letters, digits, `.`, `_`, `-`
  /// @param pages gives the page for a cursor, first for null
  /// @throws IOException if the reader has gone, or if the database went away after the file had
  ///   begun: the answer breaks off, so that half a file is not taken for a whole one
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
        LOG.warn("the export {} broke off: {}", name, e.toString());
        // Without its cause: an answer that has begun must not become a problem.
        throw new IOException("the export broke off");
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

  /// One cell: text is guarded and quoted where it must be, numbers and times are as they are.
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
