package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.security.SecurityRequirements;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.receipts.DayRoots;
import io.viaduct.billing.receipts.RootDocument;
import io.viaduct.billing.receipts.StatementFiles;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves signed statements, and the published roots, which need no log-in.
@RestController
@Tag(name = "receipts")
class ReceiptsResource {
  private static final String MEDIA_TYPE = "application/jsonl";
  private static final Logger LOG = LoggerFactory.getLogger(ReceiptsResource.class);

  private final Accounts accounts;
  private final StatementFiles files;
  private final DayRoots roots;

  ReceiptsResource(Accounts accounts, StatementFiles files, DayRoots roots) {
    this.accounts = accounts;
    this.files = files;
    this.roots = roots;
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping(path = "/api/v1/accounts/{id}/receipts", produces = MEDIA_TYPE)
  @Operation(
      summary = "The signed statement of an account as a file, for 'denarii verify-statement'",
      operationId = "exportReceipts",
      responses =
          @ApiResponse(
              responseCode = "200",
              description = "JSON Lines: the account, its receipts, the roots of the days, the end",
              content = @Content(mediaType = MEDIA_TYPE, schema = @Schema(type = "string"))))
  void export(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      HttpServletResponse response)
      throws IOException {
    CallerAccess.visible(caller, accounts, id);
    LocalDate first = day("from", from);
    LocalDate last = day("to", to);
    response.setContentType(MEDIA_TYPE);
    response.setHeader(
        HttpHeaders.CONTENT_DISPOSITION,
        "attachment; filename=\"viaduct-statement-" + id + ".jsonl\"");
    OutputStream out = new BufferedOutputStream(response.getOutputStream());
    try {
      files.write(id, first, last, out);
    } catch (RuntimeException e) {
      if (!response.isCommitted()) {
        response.reset();
        throw e;
      }
      LOG.warn("the statement of {} was aborted: {}", id, e.toString());
      // The cause is left out: an answer that has begun cannot become a problem any more.
      throw new IOException("the statement was aborted");
    }
    out.flush();
  }

  record RootList(List<RootDocument> roots, @Nullable String next) {}

  @SecurityRequirements
  @GetMapping("/api/v1/statement-roots")
  @Operation(
      summary = "Published roots of the statements of all accounts, latest day first; no log-in",
      operationId = "listStatementRoots")
  RootList list(
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    Page<RootDocument> page =
        Page.byNumber(
            cursor,
            limit,
            (before, count) ->
                roots.latest(dayOf(before), count).stream().map(RootDocument::of).toList(),
            root -> LocalDate.parse(root.day()).toEpochDay());
    return new RootList(page.items(), page.next());
  }

  @SecurityRequirements
  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/statement-roots/{day}")
  @Operation(summary = "The published root of a day; no log-in", operationId = "getStatementRoot")
  RootDocument get(@PathVariable String day) {
    LocalDate wanted = day("day", day);
    return roots.latest((wanted == null ? LocalDate.EPOCH : wanted).plusDays(1), 1).stream()
        .filter(root -> root.root().day().equals(wanted))
        .map(RootDocument::of)
        .findFirst()
        .orElseThrow(ProblemException::notFound);
  }

  private static LocalDate dayOf(long number) {
    LocalDate last = LocalDate.of(9999, 12, 31);
    return number < last.toEpochDay() ? LocalDate.ofEpochDay(number) : last;
  }

  private static @Nullable LocalDate day(String name, String text) {
    if (text.isEmpty()) {
      return null;
    }
    try {
      if (text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}")) {
        return LocalDate.parse(text);
      }
    } catch (DateTimeException _) {
      // told below
    }
    throw ProblemException.invalid(
        name
            + " must be a day such as 2026-11-26, got '"
            + (text.length() > 64 ? text.substring(0, 64) + "…" : text)
            + "'");
  }
}
