package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.RefusedReports;
import io.viaduct.webgui.billing.Release;
import io.viaduct.webgui.billing.ReportQuery;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
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
  private static final String PROBLEM = "problem";

  private final Billing billing;

  ReportPages(Billing billing) {
    this.billing = billing;
  }

  @GetMapping("/reports")
  String reports(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(required = false) @Nullable String snapt,
      @RequestParam(required = false) @Nullable String account,
      @RequestParam(required = false) @Nullable String reason,
      Model model) {
    BearerToken token = visitor.token();
    ReportQuery query = new ReportQuery(snapt, account, reason);
    RefusedReports refused = billing.refusedReports(token, query, ROWS, cursor);
    model.addAttribute("query", query);
    model.addAttribute("counts", billing.reportCounts(token).counts());
    model.addAttribute("held", billing.heldReports(token, ofHeld(query), ROWS));
    model.addAttribute("unsigned", billing.unsigned(token, query, ROWS));
    model.addAttribute("reports", refused.refused());
    model.addAttribute("gaps", billing.sequenceGaps(token, ROWS).gaps());
    model.addAttribute("next", refused.next());
    model.addAttribute("cursor", cursor);
    return "reports";
  }

  // Reasons of refusals are not reasons to hold, and billing refuses words that it does not know.
  private static ReportQuery ofHeld(ReportQuery query) {
    String reason = query.reason();
    boolean known = reason != null && HoldReason.isOne(reason);
    return new ReportQuery(query.snapt(), query.account(), known ? reason : null);
  }

  @GetMapping("/reports/held/{id}/{action:release|discard}")
  String decideHeld(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @PathVariable String action,
      Model model) {
    model.addAttribute("report", billing.heldReport(visitor.token(), id));
    model.addAttribute("kind", "held");
    model.addAttribute("action", action);
    return "report-decision";
  }

  @GetMapping("/reports/unsigned/{id}/{action:accept|void}")
  String decideUnsigned(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @PathVariable String action,
      Model model) {
    model.addAttribute("report", billing.unsigned(visitor.token(), id));
    model.addAttribute("kind", "unsigned");
    model.addAttribute("action", action);
    return "report-decision";
  }

  @PostMapping("/reports/held/{id}/{action:release|discard}")
  String held(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @PathVariable String action,
      @RequestParam(defaultValue = "") String reason,
      RedirectAttributes page) {
    return decide(
        "held",
        id,
        action,
        reason,
        page,
        told -> {
          if (action.equals("discard")) {
            billing.discard(visitor.token(), id, told);
            return "decision.done.discard";
          }
          Release release = billing.release(visitor.token(), id, told);
          page.addFlashAttribute("refusal", release.detail());
          return release.posted() ? "decision.done.release" : "decision.problem.still";
        });
  }

  @PostMapping("/reports/unsigned/{id}/{action:accept|void}")
  String unsigned(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @PathVariable String action,
      @RequestParam(defaultValue = "") String reason,
      RedirectAttributes page) {
    return decide(
        "unsigned",
        id,
        action,
        reason,
        page,
        told -> {
          if (action.equals("void")) {
            billing.voidCharge(visitor.token(), id, told);
            return "decision.done.void";
          }
          billing.accept(visitor.token(), id, told);
          return "decision.done.accept";
        });
  }

  private interface Decision {
    /// @return message key of what became of it
    String carryOut(String reason);
  }

  private static String decide(
      String kind,
      String id,
      String action,
      String reason,
      RedirectAttributes page,
      Decision decision) {
    String told = reason.strip();
    if (told.isEmpty() || told.length() > REASON_LENGTH_MAX) {
      page.addFlashAttribute(PROBLEM, "decision.problem.reason");
      return "redirect:/reports/%s/%s/%s".formatted(kind, id, action);
    }
    try {
      String message = decision.carryOut(told);
      page.addFlashAttribute(message.startsWith("decision.done") ? "done" : PROBLEM, message);
    } catch (PeerAwayException e) {
      // Whether it was carried out is not known; a second time changes nothing.
      page.addFlashAttribute(PROBLEM, "decision.problem.away");
    } catch (PeerRefusedException e) {
      page.addFlashAttribute(PROBLEM, "decision.problem.refused");
      page.addFlashAttribute("refusal", e.detail());
    }
    return "redirect:/reports";
  }
}
