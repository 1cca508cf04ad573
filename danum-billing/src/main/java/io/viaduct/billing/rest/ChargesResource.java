package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves the charges of an account: page by page, as one CSV file, and one by its id.
@RestController
@Tag(name = "charges")
class ChargesResource {
  private final Accounts accounts;
  private final Charges charges;

  ChargesResource(Accounts accounts, Charges charges) {
    this.accounts = accounts;
    this.charges = charges;
  }

  record ChargeList(List<Charge> charges, @Nullable String next) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/accounts/{id}/charges")
  @Operation(
      summary = "Charges of an account that fit every filter, latest first",
      operationId = "listCharges")
  ChargeList list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(name = "class", defaultValue = "") String serviceClass,
      @RequestParam(defaultValue = "") String state,
      @RequestParam(defaultValue = "") String application,
      @RequestParam(defaultValue = "") String snapt,
      @RequestParam(defaultValue = "") String device,
      @RequestParam(defaultValue = "") String link,
      @RequestParam(defaultValue = "") String passedBy,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    ChargeFilter filter =
        ChargeFilter.of(
            id, from, to, serviceClass, state, application, snapt, device, link, passedBy);
    Page<Charge> page = charges.page(filter, cursor, Page.limit(limit));
    return new ChargeList(page.items(), page.next());
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping(path = "/api/v1/accounts/{id}/charges.csv", produces = Csv.MEDIA_TYPE)
  @Operation(
      summary = "All charges of an account that fit every filter as a file, latest first",
      operationId = "exportCharges",
      responses =
          @ApiResponse(
              responseCode = "200",
              description = "CSV (RFC 4180), a column for each field of a charge",
              content = @Content(mediaType = "text/csv", schema = @Schema(type = "string"))))
  void export(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(name = "class", defaultValue = "") String serviceClass,
      @RequestParam(defaultValue = "") String state,
      @RequestParam(defaultValue = "") String application,
      @RequestParam(defaultValue = "") String snapt,
      @RequestParam(defaultValue = "") String device,
      @RequestParam(defaultValue = "") String link,
      @RequestParam(defaultValue = "") String passedBy,
      HttpServletResponse response)
      throws IOException {
    CallerAccess.visible(caller, accounts, id);
    ChargeFilter filter =
        ChargeFilter.of(
            id, from, to, serviceClass, state, application, snapt, device, link, passedBy);
    Csv.send(
        response,
        "charges-" + id,
        Charge.class,
        cursor -> charges.page(filter, cursor, Page.LIMIT_MAX));
  }

  record RevisionList(List<Charges.Revision> revisions) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/charges/{id}/revisions")
  @Operation(
      summary = "Every bill that a charge had, the newest first",
      operationId = "listRevisions")
  RevisionList revisions(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    Charge charge = get(caller, id);
    return new RevisionList(charges.revisions(Long.parseLong(charge.id())));
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/charges/{id}")
  @Operation(summary = "One charge", operationId = "getCharge")
  Charge get(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    if (!id.matches("[0-9]{1,18}")) {
      throw ProblemException.notFound();
    }
    Charge charge = charges.find(Long.parseLong(id)).orElseThrow(ProblemException::notFound);
    CallerAccess.requireOwn(caller, charge.account());
    return charge;
  }
}
