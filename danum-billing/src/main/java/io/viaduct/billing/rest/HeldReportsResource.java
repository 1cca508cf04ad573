package io.viaduct.billing.rest;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.mediation.HeldReportRelease;
import io.viaduct.billing.settlement.HeldReports;
import io.viaduct.billing.settlement.HoldReason;
import io.viaduct.billing.settlement.PostResult;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Lists held reports. An operator releases or discards them.
@RestController
@RequestMapping("/api/v1/reports/held")
@Tag(name = "operation")
class HeldReportsResource {
  private final HeldReports held;
  private final HeldReportRelease release;
  private final AnsweredRequests answered;
  private final InstantSource clock;

  HeldReportsResource(
      HeldReports held, HeldReportRelease release, AnsweredRequests answered, InstantSource clock) {
    this.held = held;
    this.release = release;
    this.answered = answered;
    this.clock = clock;
  }

  /// A held report as the REST interface shows it.
  ///
  /// @param isReceiptOwed true if the device's receipt would post the report
  /// @param state held, posted or discarded
  /// @param decidedBy the operator; absent while the report is held, and if the receipt decided
  record HeldReport(
      String id,
      Instant receivedAt,
      String reason,
      String detail,
      String snapt,
      String session,
      long epoch,
      long sequence,
      String account,
      Instant start,
      Instant end,
      String preBytes,
      String chargeMicrodenarii,
      String discountMicrodenarii,
      @JsonProperty("receiptOwed") boolean isReceiptOwed,
      String state,
      @Nullable String decidedBy,
      @Nullable String decision,
      @Nullable Instant decidedAt) {
    static HeldReport of(HeldReports.HeldReport r) {
      return new HeldReport(
          Long.toString(r.id()),
          r.receivedAt(),
          r.why().name(),
          r.detail(),
          r.key().snapt(),
          r.key().session(),
          r.key().epoch(),
          r.key().sequence(),
          r.account(),
          r.startedAt(),
          r.endedAt(),
          Long.toString(r.preBytes()),
          r.charge().toString(),
          r.discount().toString(),
          r.isReceiptOwed(),
          r.state().name().toLowerCase(Locale.ROOT),
          r.decidedBy(),
          r.decision().isEmpty() ? null : r.decision(),
          r.decidedAt());
    }
  }

  record HeldReportList(List<HeldReport> held, @Nullable String next) {}

  /// The result of releasing a report.
  ///
  /// @param outcome posted, already_posted, held, refused or deferred
  /// @param reason reason why the report was not posted; absent if it was
  record Release(String outcome, @Nullable String reason, @Nullable String detail) {}

  @GetMapping
  @Operation(
      summary = "Reports that are kept and not posted, latest first",
      operationId = "listHeld")
  HeldReportList list(
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit,
      @RequestParam(defaultValue = "") String snapt,
      @RequestParam(defaultValue = "") String account,
      @RequestParam(defaultValue = "") String reason,
      @RequestParam(defaultValue = "held") String state) {
    HeldReports.Filter filter =
        new HeldReports.Filter(
            Page.filter("snapt", snapt),
            Page.filter("account", account),
            Page.word("reason", reason, words(HoldReason.values())),
            state.equals("all")
                ? ""
                : Page.word("state", state, words(HeldReports.State.values())));
    Page<HeldReport> page =
        Page.byNumber(
                cursor,
                limit,
                (before, rows) -> held.page(filter, before, rows),
                HeldReports.HeldReport::id)
            .as(HeldReport::of);
    return new HeldReportList(page.items(), page.next());
  }

  @Refuses({ProblemType.NOT_FOUND})
  @GetMapping("/{id}")
  @Operation(summary = "One report that is or was held", operationId = "getHeld")
  HeldReport get(@PathVariable String id) {
    return held.find(OperatorDecision.id(id))
        .map(HeldReport::of)
        .orElseThrow(ProblemException::notFound);
  }

  private static List<String> words(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.ALREADY_DECIDED, ProblemType.IDEMPOTENCY_KEY_REUSED})
  @PostMapping("/{id}/release")
  @Operation(
      summary = "Post a held report: the operator's release replaces token, receipt and bounds",
      operationId = "releaseHeld")
  Release release(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(name = PostedMoney.HEADER, required = false) @Nullable String key,
      @RequestBody OperatorDecision decision) {
    return answered.once(
        new AnsweredRequests.Request(key, caller, "release " + id, decision),
        Release.class,
        () -> {
          HeldReports.HeldReport report = requireHeld(OperatorDecision.id(id));
          return release
              .release(report.id(), decision.toDecision(caller), clock.instant())
              .map(HeldReportsResource::toRelease)
              .orElseThrow(() -> decided(report.id()));
        });
  }

  private static Release toRelease(PostResult result) {
    return switch (result) {
      case PostResult.Posted _, PostResult.Signed _ -> new Release("posted", null, null);
      case PostResult.AlreadyPosted _ -> new Release("already_posted", null, null);
      case PostResult.Held(var why, String detail, var _) ->
          new Release("held", why.name(), detail);
      case PostResult.Refused(var why, String detail) -> new Release("refused", why.name(), detail);
      case PostResult.Deferred(String detail) -> new Release("deferred", null, detail);
    };
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.ALREADY_DECIDED})
  @PostMapping("/{id}/discard")
  @Operation(summary = "Discard a held report: it is never posted", operationId = "discardHeld")
  HeldReport discard(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody OperatorDecision decision) {
    HeldReports.HeldReport report = requireHeld(OperatorDecision.id(id));
    if (!held.discard(report.id(), decision.toDecision(caller), clock.instant())) {
      throw decided(report.id());
    }
    return held.find(report.id()).map(HeldReport::of).orElseThrow(ProblemException::notFound);
  }

  private HeldReports.HeldReport requireHeld(long id) {
    HeldReports.HeldReport report = held.find(id).orElseThrow(ProblemException::notFound);
    if (report.state() != HeldReports.State.HELD) {
      throw decided(id);
    }
    return report;
  }

  private ProblemException decided(long id) {
    return new ProblemException(
        ProblemType.ALREADY_DECIDED,
        "report %d is %s".formatted(id, held.find(id).map(r -> r.state().name()).orElse("gone")));
  }
}
