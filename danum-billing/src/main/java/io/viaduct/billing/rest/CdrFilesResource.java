package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.cdr.CdrExport;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Lists the files of charging data records.
@RestController
@Tag(name = "operation")
class CdrFilesResource {
  private static final String COLUMNS =
      "select sequence, name, format, cause, records, opened_at, closed_at, bytes, encode(sha256, 'hex'), written_at"
          + " from cdr_file ";

  private final JdbcClient jdbc;
  private final CdrExport export;

  CdrFilesResource(JdbcClient jdbc, CdrExport export) {
    this.jdbc = jdbc;
    this.export = export;
  }

  record CdrFile(
      long sequence,
      String name,
      String format,
      int cause,
      int records,
      Instant openedAt,
      Instant closedAt,
      @Nullable String bytes,
      @Nullable String sha256,
      @Nullable Instant writtenAt) {}

  /// @param waiting final intervals that are in no file yet
  record CdrFileList(long waiting, List<CdrFile> files, @Nullable String next) {}

  @GetMapping("/api/v1/cdr-files")
  @Operation(summary = "Files of charging data records, latest first", operationId = "listCdrFiles")
  CdrFileList list(
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    Page<CdrFile> page = Page.byNumber(cursor, limit, this::files, CdrFile::sequence);
    long waiting =
        jdbc.sql("select count(*) from cdr_interval where file_sequence is null")
            .query(Long.class)
            .single();
    return new CdrFileList(waiting, page.items(), page.next());
  }

  private List<CdrFile> files(long before, int limit) {
    return jdbc.sql(COLUMNS + "where sequence < ? order by sequence desc limit ?")
        .params(before, limit)
        .query((row, _) -> file(row))
        .list();
  }

  private static CdrFile file(ResultSet row) throws SQLException {
    Timestamp written = row.getTimestamp(10);
    return new CdrFile(
        row.getLong(1),
        row.getString(2),
        row.getString(3),
        row.getInt(4),
        row.getInt(5),
        row.getTimestamp(6).toInstant(),
        row.getTimestamp(7).toInstant(),
        row.getString(8),
        row.getString(9),
        written == null ? null : written.toInstant());
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/cdr-files/{sequence}")
  @Operation(summary = "One file of charging data records", operationId = "getCdrFile")
  CdrFile get(@PathVariable long sequence) {
    return jdbc.sql(COLUMNS + "where sequence = ?")
        .param(sequence)
        .query((row, _) -> file(row))
        .optional()
        .orElseThrow(ProblemException::notFound);
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping(
      path = "/api/v1/cdr-files/{sequence}/content",
      produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
  @Operation(
      summary = "Content of a file of charging data records",
      description =
          "It is made again from the database, and has the SHA-256 of the list; if it would not,"
              + " the answer is not-found: take the file from its directory. A part is answered for"
              + " the header Range (RFC 9110, section 14).",
      operationId = "getCdrFileContent")
  ResponseEntity<Resource> content(@PathVariable long sequence) {
    byte[] content =
        export
            .content(sequence)
            .orElseThrow(() ->
                new ProblemException(
                    ProblemType.NOT_FOUND,
                    "file %d is unknown, not written yet, or cannot be made again as it was"
                        .formatted(sequence)));
    return ResponseEntity.ok()
        .contentType(MediaType.APPLICATION_OCTET_STREAM)
        .body(new ByteArrayResource(content));
  }
}
