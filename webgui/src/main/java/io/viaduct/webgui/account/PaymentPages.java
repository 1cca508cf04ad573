package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.PaymentPage;
import io.viaduct.webgui.login.SignedIn;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// Money that came to an account: top-ups, credits and refunds with their reasons, and what caps
/// gave back.
@Controller
class PaymentPages {
  private static final int ROWS = 50;

  private final Billing billing;

  PaymentPages(Billing billing) {
    this.billing = billing;
  }

  @GetMapping("/accounts/{account}/top-ups")
  String topUps(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    return show(
        "topups", billing.topUps(visitor.token(), account, ROWS, cursor), account, cursor, model);
  }

  @GetMapping("/accounts/{account}/credits")
  String credits(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(required = false) @Nullable String capCursor,
      Model model) {
    model.addAttribute("caps", billing.capCredits(visitor.token(), account, ROWS, capCursor));
    return show(
        "credits", billing.credits(visitor.token(), account, ROWS, cursor), account, cursor, model);
  }

  private static String show(
      String kind, PaymentPage page, String account, @Nullable String cursor, Model model) {
    model.addAttribute("kind", kind);
    model.addAttribute("path", kind.equals("topups") ? "top-ups" : kind);
    model.addAttribute("account", account);
    model.addAttribute("payments", page.payments());
    model.addAttribute("next", page.next());
    model.addAttribute("cursor", cursor);
    return "payments";
  }
}
