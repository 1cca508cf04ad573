package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.audit.AuditLog;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/// Serves the audit log to operators and auditors.
@RestController
@Tag(name = "operation")
class AuditResource {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final AuditLog log;

  AuditResource(AuditLog log) {
    this.log = log;
  }

  /// A row that was changed.
  record AuditChange(
      String table,
      String action,
      @Nullable Map<String, Object> before,
      @Nullable Map<String, Object> after) {
    @SuppressWarnings("unchecked")
    static AuditChange of(AuditLog.Change change) {
      return new AuditChange(
          change.table(),
          change.action().toLowerCase(java.util.Locale.ROOT),
          change.before() == null ? null : JSON.readValue(change.before(), Map.class),
          change.after() == null ? null : JSON.readValue(change.after(), Map.class));
    }
  }

  record AuditEntry(
      String id,
      Instant at,
      String account,
      String role,
      String operation,
      String method,
      String path,
      String requestId,
      @Nullable Integer status,
      List<AuditChange> changes) {
    static AuditEntry of(AuditLog.Entry entry) {
      return new AuditEntry(
          Long.toString(entry.id()),
          entry.at(),
          entry.request().account(),
          entry.request().role(),
          entry.request().operation(),
          entry.request().method(),
          entry.request().path(),
          entry.request().requestId(),
          entry.status(),
          entry.changes().stream().map(AuditChange::of).toList());
    }
  }

  record AuditList(List<AuditEntry> entries, @Nullable String next) {}

  /// A line of the file: one for each change, or one for a request without a change.
  record AuditLine(
      String id,
      Instant at,
      String account,
      String role,
      String operation,
      String method,
      String path,
      String requestId,
      @Nullable Integer status,
      @Nullable String table,
      @Nullable String action,
      @Nullable String before,
      @Nullable String after) {
    static Stream<AuditLine> of(AuditLog.Entry entry) {
      return entry.changes().isEmpty()
          ? Stream.of(of(entry, null))
          : entry.changes().stream().map(change -> of(entry, change));
    }

    private static AuditLine of(AuditLog.Entry entry, AuditLog.@Nullable Change change) {
      AuditLog.Request request = entry.request();
      return new AuditLine(
          Long.toString(entry.id()),
          entry.at(),
          request.account(),
          request.role(),
          request.operation(),
          request.method(),
          request.path(),
          request.requestId(),
          entry.status(),
          change == null ? null : change.table(),
          change == null ? null : change.action(),
          change == null ? null : change.before(),
          change == null ? null : change.after());
    }
  }

  @GetMapping("/api/v1/audit")
  @Operation(
      summary = "What operators have changed, latest first",
      description =
          "Every request of an operator or auditor that may change something has an entry, also one"
              + " that was refused. The changes are rows of the database, without secrets.",
      operationId = "listAudit")
  AuditList list(
      @RequestParam(defaultValue = "") String account,
      @RequestParam(defaultValue = "") String operation,
      @RequestParam(defaultValue = "") String about,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    AuditLog.Filter filter = filter(account, operation, about, from, to);
    Page<AuditEntry> page = page(filter, cursor, limit).as(AuditEntry::of);
    return new AuditList(page.items(), page.next());
  }

  @GetMapping(path = "/api/v1/audit.csv", produces = Csv.MEDIA_TYPE)
  @Operation(
      summary = "What operators have changed as a file, latest first",
      operationId = "exportAudit",
      responses =
          @ApiResponse(
              responseCode = "200",
              description =
                  "CSV (RFC 4180), a line for each changed row; before and after are JSON objects",
              content = @Content(mediaType = "text/csv", schema = @Schema(type = "string"))))
  void export(
      @RequestParam(defaultValue = "") String account,
      @RequestParam(defaultValue = "") String operation,
      @RequestParam(defaultValue = "") String about,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      HttpServletResponse response)
      throws IOException {
    AuditLog.Filter filter = filter(account, operation, about, from, to);
    Csv.send(
        response,
        "audit",
        AuditLine.class,
        cursor -> {
          Page<AuditLog.Entry> page = page(filter, cursor, Page.LIMIT_MAX);
          return new Page<>(page.items().stream().flatMap(AuditLine::of).toList(), page.next());
        });
  }

  private Page<AuditLog.Entry> page(AuditLog.Filter filter, @Nullable String cursor, int limit) {
    return Page.byNumber(
        cursor, limit, (before, rows) -> log.page(filter, before, rows), AuditLog.Entry::id);
  }

  private static AuditLog.Filter filter(
      String account, String operation, String about, String from, String to) {
    TimeRange range = TimeRange.of(from, to);
    return new AuditLog.Filter(
        Page.filter("account", account),
        Page.filter("operation", operation),
        Page.filter("about", about),
        range.from(),
        range.to());
  }
}
