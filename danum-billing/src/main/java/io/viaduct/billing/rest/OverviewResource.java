package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.ledger.VerificationRuns;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Serves what needs an operator's attention, and the verifications of the ledger.
@RestController
@RequestMapping("/api/v1")
@Tag(name = "operation")
class OverviewResource {
  private final OperatorOverview overview;
  private final VerificationRuns runs;
  private final InstantSource clock;

  OverviewResource(OperatorOverview overview, VerificationRuns runs, InstantSource clock) {
    this.overview = overview;
    this.runs = runs;
    this.clock = clock;
  }

  record LedgerSum(String name, long accounts, String microdenarii) {
    static LedgerSum of(VerificationRuns.Sum sum) {
      return new LedgerSum(sum.name(), sum.accounts(), sum.microdenarii().toPlainString());
    }
  }

  record RunCheck(String code, String name, boolean holds, long violations, String example) {
    static RunCheck of(LedgerVerification.Check check) {
      return new RunCheck(
          check.code(), check.name(), check.holds(), check.violations(), check.example());
    }
  }

  record VerificationRun(
      String id,
      @Nullable String requestedBy,
      Instant startedAt,
      int done,
      int total,
      @Nullable Instant finishedAt,
      String failure,
      @Nullable Boolean holds,
      @Nullable Long transactions,
      @Nullable Long postings,
      List<LedgerSum> sums,
      List<RunCheck> checks) {
    static VerificationRun of(VerificationRuns.Run run) {
      VerificationRuns.Result result = run.result();
      return new VerificationRun(
          Long.toString(run.id()),
          run.requestedBy(),
          run.startedAt(),
          run.done(),
          run.total(),
          run.finishedAt(),
          run.failure(),
          result == null
              ? null
              : (Boolean) result.checks().stream().allMatch(LedgerVerification.Check::holds),
          result == null ? null : (Long) result.transactions(),
          result == null ? null : (Long) result.postings(),
          result == null ? List.of() : result.sums().stream().map(LedgerSum::of).toList(),
          result == null ? List.of() : result.checks().stream().map(RunCheck::of).toList());
    }
  }

  record RunList(List<VerificationRun> runs, @Nullable String next) {}

  record Overview(
      OperatorOverview.StandingOut accounts,
      OperatorOverview.Waiting waiting,
      @Nullable VerificationRun verification,
      List<OperatorOverview.HourSum> hours) {}

  @GetMapping("/overview")
  @Operation(
      summary = "What needs an operator's attention now, and the last 24 hours of all accounts",
      operationId = "getOverview")
  Overview overview() {
    Instant now = clock.instant();
    return new Overview(
        overview.standingOut(),
        overview.waiting(now),
        runs.latestFinished().map(VerificationRun::of).orElse(null),
        overview.hours(now));
  }

  @GetMapping("/ledger/verifications")
  @Operation(
      summary = "Verifications of the ledger, latest first, with one that is running",
      operationId = "listVerifications")
  RunList list(
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "20") int limit) {
    Page<VerificationRun> page =
        Page.byNumber(cursor, limit, runs::latest, VerificationRuns.Run::id)
            .as(VerificationRun::of);
    return new RunList(page.items(), page.next());
  }

  @PostMapping("/ledger/verifications")
  @ResponseStatus(HttpStatus.ACCEPTED)
  @Operation(
      summary = "Begin a verification of the ledger; one that is running is answered instead",
      operationId = "beginVerification")
  VerificationRun begin(@AuthenticationPrincipal Caller caller) {
    return VerificationRun.of(runs.begin(caller.account()));
  }
}
