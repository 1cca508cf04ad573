package io.viaduct.webgui.operator;

import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// An operator investigates and closes discrepancies, which the page of reports lists.
@Controller
class DiscrepancyPages {
  private final DiscrepancyBilling billing;

  DiscrepancyPages(DiscrepancyBilling billing) {
    this.billing = billing;
  }

  @PostMapping("/reports/discrepancies/{id}")
  String move(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String reason,
      @RequestParam(defaultValue = "investigate") String action,
      RedirectAttributes page) {
    if (action.equals("close")) {
      Outcome.of(
          page,
          "discrepancies.done.closed",
          () -> billing.close(visitor.token(), id, reason.strip()));
    } else {
      Outcome.of(
          page,
          "discrepancies.done.investigated",
          () -> billing.investigate(visitor.token(), id, reason.strip()));
    }
    return "redirect:/reports";
  }
}
