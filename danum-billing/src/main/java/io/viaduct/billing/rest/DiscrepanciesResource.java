package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.settlement.Discrepancies;
import io.viaduct.billing.settlement.Discrepancies.Discrepancy;
import io.viaduct.billing.settlement.Discrepancies.Outcome;
import io.viaduct.billing.settlement.DiscrepancyState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves discrepancies between the counts of devices and SNAPTs to operators.
@RestController
@RequestMapping("/api/v1/reports/discrepancies")
@Tag(name = "operation")
class DiscrepanciesResource {
  private final Discrepancies discrepancies;
  private final InstantSource clock;

  DiscrepanciesResource(Discrepancies discrepancies, InstantSource clock) {
    this.discrepancies = discrepancies;
    this.clock = clock;
  }

  /// @param basis what both numbers count: the session up to this report, or its interval
  /// @param snaptBytes bytes of both directions by the SNAPT
  /// @param deviceBytes likewise, by the device
  record DiscrepancyView(
      String id,
      String snapt,
      String session,
      long epoch,
      long sequence,
      String account,
      Instant start,
      String basis,
      String snaptBytes,
      String deviceBytes,
      Instant openedAt,
      String state,
      List<DiscrepancyNote> notes) {
    static DiscrepancyView of(Discrepancy found) {
      return new DiscrepancyView(
          Long.toString(found.id()),
          found.key().snapt(),
          found.key().session(),
          found.key().epoch(),
          found.key().sequence(),
          found.account(),
          found.startedAt(),
          found.basis().word(),
          found.snaptBytes().toString(),
          found.deviceBytes().toString(),
          found.openedAt(),
          found.state().word(),
          found.notes().stream()
              .map(note ->
                  new DiscrepancyNote(note.state().word(), note.text(), note.operator(), note.at()))
              .toList());
    }
  }

  record DiscrepancyNote(String state, String note, String operator, Instant at) {}

  record DiscrepancyList(List<DiscrepancyView> discrepancies, @Nullable String next) {}

  @Refuses(ProblemType.FORBIDDEN)
  @GetMapping
  @Operation(
      summary =
          "Reports whose SNAPT and device count the session or the interval with more than 5 % of"
              + " difference, latest first; by default those that are not closed",
      operationId = "listDiscrepancies")
  DiscrepancyList list(
      @RequestParam(defaultValue = "") String state,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    DiscrepancyState wanted =
        ChargeFilter.choice("state", state, DiscrepancyState.values(), DiscrepancyState::word);
    Page<DiscrepancyView> page =
        Page.byNumber(
                cursor,
                limit,
                (before, rows) -> discrepancies.page(wanted, before, rows),
                Discrepancy::id)
            .as(DiscrepancyView::of);
    return new DiscrepancyList(page.items(), page.next());
  }

  @Refuses({ProblemType.FORBIDDEN, ProblemType.NOT_FOUND, ProblemType.ALREADY_DECIDED})
  @PostMapping("/{id}/investigate")
  @Operation(
      summary = "Say that a discrepancy is being looked at, with a note",
      operationId = "investigateDiscrepancy")
  DiscrepancyView investigate(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody OperatorDecision decision) {
    return move(caller, id, DiscrepancyState.INVESTIGATED, decision);
  }

  @Refuses({ProblemType.FORBIDDEN, ProblemType.NOT_FOUND, ProblemType.ALREADY_DECIDED})
  @PostMapping("/{id}/close")
  @Operation(summary = "Close a discrepancy with its explanation", operationId = "closeDiscrepancy")
  DiscrepancyView close(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody OperatorDecision decision) {
    return move(caller, id, DiscrepancyState.CLOSED, decision);
  }

  private DiscrepancyView move(
      Caller caller, String id, DiscrepancyState to, OperatorDecision decision) {
    Outcome outcome =
        discrepancies
            .move(OperatorDecision.id(id), to, decision.toDecision(caller), clock.instant())
            .orElseThrow(ProblemException::notFound);
    return switch (outcome) {
      case Outcome.Done(Discrepancy moved) -> DiscrepancyView.of(moved);
      case Outcome.NotAllowed(DiscrepancyState state) ->
          throw new ProblemException(
              ProblemType.ALREADY_DECIDED, "the discrepancy is " + state.word() + " already");
    };
  }
}
