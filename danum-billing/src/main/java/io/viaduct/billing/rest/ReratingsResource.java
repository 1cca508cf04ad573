package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.rerating.Rerating;
import io.viaduct.billing.rerating.ReratingOrder;
import io.viaduct.billing.rerating.Reratings;
import io.viaduct.billing.settlement.TariffTrial;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves re-rating to operators: its preview, and its runs.
@RestController
@RequestMapping("/api/v1/reratings")
@Tag(name = "reratings")
class ReratingsResource {
  private static final int REASON_MAX = 256;

  private final Reratings reratings;
  private final BillSelection bills;
  private final TariffTrialResource trial;
  private final InstantSource clock;

  ReratingsResource(
      Reratings reratings, BillSelection bills, TariffTrialResource trial, InstantSource clock) {
    this.reratings = reratings;
    this.bills = bills;
    this.trial = trial;
    this.clock = clock;
  }

  /// The bills that are made again. A key that is left out selects everything.
  record NewPreview(
      Instant from,
      Instant to,
      @Nullable String account,
      @Nullable String serviceClass,
      int tariffVersion) {
    NewPreview {
      JsonBody.require("from", from);
      JsonBody.require("to", to);
    }
  }

  record NewRerating(
      Instant from,
      Instant to,
      @Nullable String account,
      @Nullable String serviceClass,
      int tariffVersion,
      String reason) {
    NewRerating {
      JsonBody.require("from", from);
      JsonBody.require("to", to);
      JsonBody.require("reason", reason);
    }
  }

  /// @param difference new bills less those before; amounts may be negative
  /// @param capCreditMicrodenarii what caps of its days gave back since it began; negative if they
  ///   took more again
  /// @param keptIntervals the first intervals that keep their bill because of a refund
  record ReratingView(
      String id,
      Instant from,
      Instant to,
      @Nullable String account,
      @Nullable String serviceClass,
      int tariffVersion,
      String reason,
      String createdBy,
      Instant createdAt,
      String state,
      @Nullable Instant listedAt,
      long waiting,
      long changed,
      long same,
      long refunded,
      long voided,
      BillView difference,
      String capCreditMicrodenarii,
      List<String> keptIntervals) {
    static ReratingView of(Rerating run) {
      ReratingOrder order = run.order();
      return new ReratingView(
          order.id(),
          order.from(),
          order.to(),
          order.account(),
          order.serviceClass() == null ? null : order.serviceClass().name(),
          order.tariffVersion(),
          order.reason(),
          order.createdBy(),
          run.createdAt(),
          run.state().name().toLowerCase(Locale.ROOT),
          run.listedAt(),
          run.waiting(),
          run.changed(),
          run.same(),
          run.refunded(),
          run.voided(),
          BillView.of(run.difference()),
          run.capCredit().toString(),
          run.keptIntervals());
    }
  }

  record ReratingList(List<ReratingView> reratings, @Nullable String next) {}

  @Refuses({ProblemType.FORBIDDEN, ProblemType.NOT_FOUND, ProblemType.BUSY})
  @PostMapping("/preview")
  @Operation(
      summary =
          "What a re-rating would change: sums and the largest differences; nothing is stored",
      description =
          "As the simulation of a tariff, with a stored version and a filter. Bills that were made"
              + " again before are compared with their newest revision.",
      operationId = "previewRerating")
  TariffTrialResource.Trial preview(@RequestBody NewPreview wanted) {
    return trial.run(
        bills.tariff(wanted.tariffVersion()),
        bills.scope(wanted.account(), wanted.serviceClass()),
        new BillSelection.Span(wanted.from(), wanted.to()));
  }

  @Refuses({
    ProblemType.FORBIDDEN,
    ProblemType.NOT_FOUND,
    ProblemType.IDEMPOTENCY_KEY_REUSED,
    ProblemType.RERATING_OVERLAPS
  })
  @PutMapping("/{id}")
  @Operation(
      summary = "Begin a re-rating. The same order with the same id begins nothing",
      operationId = "beginRerating",
      responses = {
        @ApiResponse(responseCode = "201", description = "Begun"),
        @ApiResponse(responseCode = "200", description = "It was begun before")
      })
  ResponseEntity<ReratingView> begin(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody NewRerating wanted) {
    ReratingOrder order = order(caller, id, wanted);
    return switch (reratings.begin(order, clock.instant())) {
      case Reratings.Begun.New(Rerating run) ->
          ResponseEntity.status(HttpStatus.CREATED).body(ReratingView.of(run));
      case Reratings.Begun.Known(Rerating run) -> ResponseEntity.ok(ReratingView.of(run));
      case Reratings.Begun.IdTaken() ->
          throw new ProblemException(
              ProblemType.IDEMPOTENCY_KEY_REUSED,
              "run '" + order.id() + "' has another order: choose another id");
      case Reratings.Begun.Overlaps(String other) ->
          throw new ProblemException(
              ProblemType.RERATING_OVERLAPS,
              "run '"
                  + other
                  + "' of an overlapping time has not ended: wait for it, or resume it");
    };
  }

  private ReratingOrder order(Caller caller, String id, NewRerating wanted) {
    if (!id.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
      throw ProblemException.invalid(
          "an id has 1 to 64 letters, digits, '.', '_' or '-', and begins with a letter or digit");
    }
    if (!wanted.from().isBefore(wanted.to()) || wanted.to().isAfter(clock.instant())) {
      throw ProblemException.invalid(
          "from must be before to, and to not after now: got %s and %s"
              .formatted(wanted.from(), wanted.to()));
    }
    if (wanted.reason().isBlank()) {
      throw ProblemException.invalid("reason must say why, got only blanks");
    }
    bills.tariff(wanted.tariffVersion());
    TariffTrial.Scope scope = bills.scope(wanted.account(), wanted.serviceClass());
    return new ReratingOrder(
        id,
        wanted.from(),
        wanted.to(),
        scope.account(),
        scope.serviceClass(),
        wanted.tariffVersion(),
        PlainText.require("reason", wanted.reason(), REASON_MAX),
        caller.account());
  }

  @Refuses(ProblemType.FORBIDDEN)
  @GetMapping
  @Operation(summary = "Re-ratings, latest first", operationId = "listReratings")
  ReratingList list(
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "20") int limit) {
    Page<ReratingView> page =
        Page.byNumber(cursor, limit, reratings::latest, Rerating::number).as(ReratingView::of);
    return new ReratingList(page.items(), page.next());
  }

  @Refuses({ProblemType.FORBIDDEN, ProblemType.NOT_FOUND})
  @GetMapping("/{id}")
  @Operation(summary = "One re-rating, and how far it is", operationId = "getRerating")
  ReratingView get(@PathVariable String id) {
    return found(reratings.find(id));
  }

  @Refuses({ProblemType.FORBIDDEN, ProblemType.NOT_FOUND})
  @PostMapping("/{id}/stop")
  @Operation(
      summary = "Stop a re-rating: after the answer it posts nothing until it is resumed",
      operationId = "stopRerating")
  ReratingView stop(@PathVariable String id) {
    return found(reratings.stop(id));
  }

  @Refuses({ProblemType.FORBIDDEN, ProblemType.NOT_FOUND})
  @PostMapping("/{id}/resume")
  @Operation(summary = "Resume a re-rating where it was stopped", operationId = "resumeRerating")
  ReratingView resume(@PathVariable String id) {
    return found(reratings.resume(id));
  }

  private static ReratingView found(Optional<Rerating> run) {
    return ReratingView.of(run.orElseThrow(ProblemException::notFound));
  }
}
