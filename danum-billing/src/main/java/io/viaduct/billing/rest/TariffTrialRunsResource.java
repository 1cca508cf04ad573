package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.settlement.TrialResult;
import io.viaduct.billing.settlement.TrialRuns;
import io.viaduct.billing.tariff.Tariff;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves trials of tariffs that run in the background, for times with more charges than an answer
/// can wait for.
@RestController
@RequestMapping("/api/v1/tariff-trials")
@Tag(name = "tariffs")
class TariffTrialRunsResource {
  private static final int NAME_MAX = 64;
  private static final Duration AGAIN_AFTER = Duration.ofSeconds(10);

  private final TrialRuns runs;
  private final BillSelection bills;
  private final InstantSource clock;

  TariffTrialRunsResource(TrialRuns runs, BillSelection bills, InstantSource clock) {
    this.runs = runs;
    this.bills = bills;
    this.clock = clock;
  }

  /// A trial. Either a document or a version is given.
  ///
  /// @param name of the tariff, for people; without one, that of the version
  record NewTrialRun(
      @Nullable Map<String, Object> tariff,
      @Nullable Integer tariffVersion,
      @Nullable String name,
      @Nullable Instant from,
      @Nullable Instant to,
      @Nullable String account,
      @Nullable String serviceClass) {}

  /// @param state `running`, `done`, `stopped` or `failed`
  /// @param coveredTo what began before it has been rated
  /// @param failure why it failed, or empty
  /// @param trial null until it is done; of a part of the time if it was stopped
  record TrialRunView(
      String id,
      String requestedBy,
      String name,
      Instant from,
      Instant to,
      @Nullable String account,
      @Nullable String serviceClass,
      String state,
      Instant startedAt,
      Instant coveredTo,
      @Nullable Instant finishedAt,
      String failure,
      TariffTrialResource.@Nullable Trial trial) {
    static TrialRunView of(TrialRuns.Run run) {
      TrialResult result = run.result();
      return new TrialRunView(
          Long.toString(run.id()),
          run.requestedBy(),
          run.name(),
          run.from(),
          run.to(),
          run.scope().account(),
          run.scope().serviceClass() == null ? null : run.scope().serviceClass().name(),
          state(run),
          run.startedAt(),
          run.coveredTo(),
          run.finishedAt(),
          run.failure(),
          result == null ? null : TariffTrialResource.view(result, run.to()));
    }

    private static String state(TrialRuns.Run run) {
      if (run.finishedAt() == null) {
        return "running";
      }
      return run.result() == null ? "failed" : run.result().isComplete() ? "done" : "stopped";
    }
  }

  record TrialRunList(List<TrialRunView> runs, @Nullable String next) {}

  @Refuses({
    ProblemType.FORBIDDEN,
    ProblemType.NOT_FOUND,
    ProblemType.TARIFF_REFUSED,
    ProblemType.BUSY
  })
  @PostMapping
  @Operation(
      summary = "Begin a trial of a tariff on a time that is over; it goes on in the background",
      description =
          "As the simulation of a tariff and the preview of a re-rating, without their bounds on"
              + " charges and seconds. One trial runs at a time.",
      operationId = "beginTariffTrial")
  ResponseEntity<TrialRunView> begin(
      @AuthenticationPrincipal Caller caller, @RequestBody NewTrialRun wanted) {
    BillSelection.Span time = BillSelection.Span.of(wanted.from(), wanted.to(), clock.instant());
    TrialRuns.Order order =
        new TrialRuns.Order(
            name(wanted),
            tariff(wanted),
            bills.scope(wanted.account(), wanted.serviceClass()),
            time.from(),
            time.to());
    return switch (runs.begin(order, caller.account())) {
      case TrialRuns.Begun.New(TrialRuns.Run run) ->
          ResponseEntity.accepted()
              .location(URI.create("/api/v1/tariff-trials/" + run.id()))
              .body(TrialRunView.of(run));
      case TrialRuns.Begun.Busy(TrialRuns.Run other) ->
          throw new ProblemException(
              ProblemType.BUSY,
              "trial %d is running: wait for it, or stop it".formatted(other.id()),
              AGAIN_AFTER);
    };
  }

  private static String name(NewTrialRun wanted) {
    String name = wanted.name() == null ? "" : wanted.name().strip();
    return name.isEmpty() && wanted.tariffVersion() != null
        ? Integer.toString(wanted.tariffVersion())
        : PlainText.require("name", name, NAME_MAX);
  }

  private Tariff tariff(NewTrialRun wanted) {
    Map<String, Object> document = wanted.tariff();
    Integer version = wanted.tariffVersion();
    if ((document == null) == (version == null)) {
      throw ProblemException.invalid("give either tariff or tariffVersion, got both or none");
    }
    return document == null ? bills.tariff(version) : TariffsResource.parse(document);
  }

  @Refuses(ProblemType.FORBIDDEN)
  @GetMapping
  @Operation(summary = "Trials in the background, latest first", operationId = "listTariffTrials")
  TrialRunList list(
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "20") int limit) {
    Page<TrialRunView> page =
        Page.byNumber(cursor, limit, runs::latest, TrialRuns.Run::id).as(TrialRunView::of);
    return new TrialRunList(page.items(), page.next());
  }

  @Refuses({ProblemType.FORBIDDEN, ProblemType.NOT_FOUND})
  @GetMapping("/{id}")
  @Operation(summary = "One trial, and how far it is", operationId = "getTariffTrial")
  TrialRunView get(@PathVariable long id) {
    return found(runs.find(id));
  }

  @Refuses({ProblemType.FORBIDDEN, ProblemType.NOT_FOUND})
  @PostMapping("/{id}/stop")
  @Operation(
      summary = "Stop a trial within seconds; it keeps the sums of the time that it has rated",
      operationId = "stopTariffTrial")
  TrialRunView stop(@PathVariable long id) {
    return found(runs.stop(id));
  }

  private static TrialRunView found(Optional<TrialRuns.Run> run) {
    return TrialRunView.of(run.orElseThrow(ProblemException::notFound));
  }
}
