package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Lists the files of charging data records.
@RestController
@Tag(name = "operation")
class CdrFilesResource {
  private final JdbcClient jdbc;

  CdrFilesResource(JdbcClient jdbc) {
    this.jdbc = jdbc;
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
    return jdbc.sql(
            "select sequence, name, format, cause, records, opened_at, closed_at, bytes, encode(sha256, 'hex'), written_at"
                + " from cdr_file where sequence < ? order by sequence desc limit ?")
        .params(before, limit)
        .query((row, _) -> {
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
        })
        .list();
  }
}
