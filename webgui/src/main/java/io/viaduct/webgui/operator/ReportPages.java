package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.DeviceReportBilling;
import io.viaduct.webgui.billing.RefusedReports;
import io.viaduct.webgui.billing.ReportQuery;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// Reports that billing keeps, could not bill or has not got, and what an operator decides about
/// them. A decision has a page of its own that says what it does and asks for a reason.
@Controller
class ReportPages {
  private static final int ROWS = 50;
  private static final int REASON_LENGTH_MAX = 256;
  private static final String DECISION =
      "/reports/{kind:held|unsigned}/{id}/{action:release|discard|accept|void}";

  private final Billing billing;
  private final DiscrepancyBilling discrepancies;
  private final DeviceReportBilling deviceReports;

  ReportPages(
      Billing billing, DiscrepancyBilling discrepancies, DeviceReportBilling deviceReports) {
    this.billing = billing;
    this.discrepancies = discrepancies;
    this.deviceReports = deviceReports;
  }

  @GetMapping("/reports")
  String reports(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(required = false) @Nullable String snapt,
      @RequestParam(required = false) @Nullable String account,
      @RequestParam(required = false) @Nullable String reason,
      @RequestParam(required = false) @Nullable String refusal,
      @RequestParam(required = false) @Nullable String heldCursor,
      @RequestParam(required = false) @Nullable String unsignedCursor,
      @RequestParam(required = false) @Nullable String discrepanciesCursor,
      @RequestParam(required = false) @Nullable String devicesCursor,
      @RequestParam(required = false) @Nullable String gapsCursor,
      Model model) {
    BearerToken token = visitor.token();
    ReportQuery query = new ReportQuery(snapt, account, reason, refusal);
    RefusedReports refused = billing.refusedReports(token, query, ROWS, cursor);
    model.addAttribute("query", query);
    model.addAttribute("refusals", ReportQuery.REFUSALS);
    model.addAttribute("counts", billing.reportCounts(token).counts());
    model.addAttribute("held", billing.heldReports(token, ofHeld(query), ROWS, heldCursor));
    model.addAttribute("unsigned", billing.unsigned(token, query, ROWS, unsignedCursor));
    model.addAttribute("discrepancies", discrepancies.page(token, ROWS, discrepanciesCursor));
    model.addAttribute("deviceReports", deviceReports.page(token, ROWS, devicesCursor));
    model.addAttribute("reports", refused.refused());
    model.addAttribute("gaps", billing.sequenceGaps(token, ROWS, gapsCursor));
    model.addAttribute("next", refused.next());
    model.addAttribute("cursor", cursor);
    return "reports";
  }

  // Reasons of refusals are not reasons to hold, and billing refuses words that it does not know.
  private static ReportQuery ofHeld(ReportQuery query) {
    String reason = query.reason();
    boolean known = reason != null && HoldReason.isOne(reason);
    return new ReportQuery(query.snapt(), query.account(), known ? reason : null, null);
  }

  /// Names each decision about a report, with the list that the report stands in.
  private enum Decision {
    RELEASE("held"),
    DISCARD("held"),
    ACCEPT("unsigned"),
    VOID("unsigned");

    private final String kind;

    Decision(String kind) {
      this.kind = kind;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /// @throws PeerRefusedException with 404 if there is no such decision in that list
    static Decision of(String kind, String word) {
      return Arrays.stream(values())
          .filter(one -> one.kind.equals(kind) && one.word().equals(word))
          .findFirst()
          .orElseThrow(() -> new PeerRefusedException(404, ""));
    }
  }

  @GetMapping(DECISION)
  String ask(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String kind,
      @PathVariable String id,
      @PathVariable String action,
      Model model) {
    Decision decision = Decision.of(kind, action);
    BearerToken token = visitor.token();
    model.addAttribute(
        "report",
        decision.kind.equals("held") ? billing.heldReport(token, id) : billing.unsigned(token, id));
    model.addAttribute("kind", kind);
    model.addAttribute("idempotencyKey", UUID.randomUUID());
    model.addAttribute("action", action);
    return "report-decision";
  }

  @PostMapping(DECISION)
  String decide(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String kind,
      @PathVariable String id,
      @PathVariable String action,
      @RequestParam UUID idempotencyKey,
      @RequestParam(defaultValue = "") String reason,
      RedirectAttributes page) {
    Decision decision = Decision.of(kind, action);
    String told = reason.strip();
    if (told.isEmpty() || told.length() > REASON_LENGTH_MAX) {
      Outcome.problem(page, "decision.problem.reason");
      return "redirect:/reports/%s/%s/%s".formatted(kind, id, action);
    }
    carryOut(decision, visitor.token(), id, new Billing.Decision(idempotencyKey, told), page);
    return "redirect:/reports";
  }

  private void carryOut(
      Decision decision,
      BearerToken token,
      String id,
      Billing.Decision told,
      RedirectAttributes page) {
    String done = "decision.done." + decision.word();
    switch (decision) {
      case RELEASE -> release(token, id, told, done, page);
      case DISCARD -> Outcome.of(page, done, () -> billing.discard(token, id, told));
      case ACCEPT -> Outcome.of(page, done, () -> billing.accept(token, id, told));
      case VOID -> Outcome.of(page, done, () -> billing.voidCharge(token, id, told));
    }
  }

  // A report that is released may still be held, for another reason.
  private void release(
      BearerToken token, String id, Billing.Decision told, String done, RedirectAttributes page) {
    Outcome.get(page, null, () -> billing.release(token, id, told))
        .ifPresent(release -> {
          page.addFlashAttribute("refusal", release.detail());
          if (release.isPosted()) {
            page.addFlashAttribute("done", done);
          } else {
            Outcome.problem(page, "decision.problem.still");
          }
        });
  }
}
