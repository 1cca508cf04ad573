package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.retention.Erasure;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/// Erases users.
@RestController
@RequestMapping("/api/v1/accounts")
@Tag(name = "accounts")
class ErasureResource {
  private final Erasure erasure;

  ErasureResource(Erasure erasure) {
    this.erasure = erasure;
  }

  record ErasedView(String pseudonym) {}

  @Refuses({ProblemType.NOT_FOUND, ProblemType.NOT_ERASABLE})
  @PostMapping("/{id}/erasure")
  @Operation(
      summary = "Erase a closed account for ever, as an operator",
      description =
          "The account's id becomes a pseudonym in every row, also of the audit log. Addresses that"
              + " its flows went to and its reports as signed are deleted. Amounts stay, and the"
              + " ledger still balances. Nobody can find out later whose pseudonym it is, so note it"
              + " if you must. The account must be closed, with all its intervals final.",
      operationId = "eraseAccount")
  ErasedView erase(@PathVariable String id) {
    return switch (erasure.erase(id)) {
      case Erasure.Outcome.Erased(String pseudonym) -> new ErasedView(pseudonym);
      case Erasure.Outcome.Refused(String reason) ->
          throw reason.equals("unknown")
              ? ProblemException.notFound()
              : new ProblemException(ProblemType.NOT_ERASABLE, text(id, reason));
    };
  }

  private static String text(String id, String reason) {
    String why =
        switch (reason) {
          case "not_closed" -> "is not closed: close it first";
          case "not_final" ->
              "has charges that are not final: wait for settlement, and decide its unsigned charges";
          case "held" -> "has held reports: release or discard them first";
          case "snapt_owner" -> "owns SNAPTs, whose fees are under its name";
          case "caps" ->
              "has days that are not compared with the caps yet: wait for adjustment-time";
          case "unpublished" -> "has charges that are not published yet: try again later";
          default ->
              "has charges that are in no file of charging data records yet: try again later";
        };
    return "account '" + id + "' " + why;
  }
}
