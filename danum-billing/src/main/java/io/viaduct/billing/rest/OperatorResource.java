package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.mediation.RefusedReports;
import io.viaduct.billing.settlement.SequenceGaps;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves operators: refused reports, missing reports, and the verification of the ledger.
@RestController
@RequestMapping("/api/v1")
@Tag(name = "operation")
class OperatorResource {
  private final RefusedReports refusedReports;
  private final SequenceGaps gaps;
  private final LedgerVerification verification;
  private final InstantSource clock;

  OperatorResource(
      RefusedReports refusedReports,
      SequenceGaps gaps,
      LedgerVerification verification,
      InstantSource clock) {
    this.refusedReports = refusedReports;
    this.gaps = gaps;
    this.verification = verification;
    this.clock = clock;
  }

  record RefusedReport(
      String id,
      Instant receivedAt,
      String reason,
      String detail,
      String snapt,
      String session,
      long epoch,
      long sequence,
      String account) {
    static RefusedReport of(RefusedReports.Refused r) {
      return new RefusedReport(
          Long.toString(r.id()),
          r.receivedAt(),
          r.why(),
          r.detail(),
          r.snapt(),
          r.session(),
          r.epoch(),
          r.sequence(),
          r.account());
    }
  }

  record RefusedReportList(List<RefusedReport> refused, @Nullable String next) {}

  record CountList(List<RefusedReports.Count> counts, @Nullable String next) {}

  record GapList(List<SequenceGaps.Gap> gaps, @Nullable String next) {}

  record InvariantCheck(String code, String name, boolean holds, long violations, String example) {}

  record Verification(Instant checkedAt, boolean holds, List<InvariantCheck> checks) {}

  @GetMapping("/reports/refused")
  @Operation(summary = "Reports that were not billed, latest first", operationId = "listRefused")
  RefusedReportList refused(
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "50") int limit,
      @RequestParam(defaultValue = "") String snapt,
      @RequestParam(defaultValue = "") String account,
      @RequestParam(defaultValue = "") String reason) {
    RefusedReports.Filter filter =
        new RefusedReports.Filter(
            Page.filter("snapt", snapt),
            Page.filter("account", account),
            Page.filter("reason", reason));
    Page<RefusedReport> page =
        Page.byNumber(
                cursor,
                limit,
                (before, rows) -> refusedReports.page(filter, before, rows),
                RefusedReports.Refused::id)
            .as(RefusedReport::of);
    return new RefusedReportList(page.items(), page.next());
  }

  @GetMapping("/reports/counts")
  @Operation(
      summary = "Reports that were refused, are held or are unsigned, by SNAPT and reason",
      operationId = "countReports")
  CountList counts(
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "500") int limit) {
    Cursor.Named seen = Cursor.named("counts", 3, cursor);
    Page<RefusedReports.Count> page =
        Page.of(
            refusedReports.counts(
                seen == null ? List.of("", "", "") : seen.names(), Page.limit(limit) + 1),
            limit,
            last ->
                Cursor.after(
                    "counts", new Cursor.Named(0, last.snapt(), last.what(), last.reason())));
    return new CountList(page.items(), page.next());
  }

  @GetMapping("/reports/gaps")
  @Operation(summary = "Missing sequence numbers within the grace time", operationId = "listGaps")
  GapList gaps(
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    long[] seen = Cursor.key("gaps", 2, cursor);
    Page<SequenceGaps.Seen> page =
        Page.of(
            gaps.visible(
                clock.instant(),
                seen == null ? Instant.MAX : Instant.EPOCH.plus(seen[0], ChronoUnit.MICROS),
                seen == null ? 0 : seen[1],
                Page.limit(limit) + 1),
            limit,
            last ->
                Cursor.after(
                    "gaps",
                    ChronoUnit.MICROS.between(Instant.EPOCH, last.gap().seenAt()),
                    last.interval()));
    return new GapList(page.items().stream().map(SequenceGaps.Seen::gap).toList(), page.next());
  }

  @GetMapping("/ledger/verification")
  @Operation(summary = "Invariants of the ledger, recomputed now", operationId = "verifyLedger")
  Verification verify() {
    List<InvariantCheck> checks =
        verification.run().stream()
            .map(
                c -> new InvariantCheck(c.code(), c.name(), c.holds(), c.violations(), c.example()))
            .toList();
    return new Verification(
        clock.instant(), checks.stream().allMatch(InvariantCheck::holds), checks);
  }
}
