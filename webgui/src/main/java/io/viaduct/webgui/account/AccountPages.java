package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/// Balance first, then why. A user's home is the page of the own account; an operator opens
/// anybody's.
@Controller
class AccountPages {
  private static final int LATEST_ROWS = 10;
  private static final int LATEST_CREDITS = 3;

  private final Billing billing;
  private final Limits limits;
  private final InstantSource clock;

  AccountPages(Billing billing, Limits limits, InstantSource clock) {
    this.billing = billing;
    this.limits = limits;
    this.clock = clock;
  }

  @GetMapping("/")
  String home(@AuthenticationPrincipal SignedIn visitor, ZoneId zone, Model model) {
    return switch (visitor.role()) {
      case OPERATOR, AUDITOR -> "redirect:/operator";
      case SNAPT_OWNER -> "redirect:/owners/" + visitor.account() + "/fees";
      case USER -> account(visitor, visitor.account(), zone, model);
    };
  }

  @GetMapping("/accounts/{account}")
  String account(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      ZoneId zone,
      Model model) {
    model.addAttribute("account", billing.account(visitor.token(), account));
    int rows = Math.min(LATEST_ROWS, limits.chargesPerPage());
    model.addAllAttributes(
        AccountState.read(billing, visitor.token(), account, rows, clock.instant(), zone)
            .variables());
    model.addAttribute("rows", rows);
    if (visitor.isOperator() && !model.containsAttribute("topUp")) {
      model.addAttribute("topUp", MoneyForm.empty());
    }
    if (visitor.isOperator() && !model.containsAttribute("credit")) {
      model.addAttribute("credit", MoneyForm.empty());
    }
    model.addAttribute(
        "credits", billing.credits(visitor.token(), account, LATEST_CREDITS, null).payments());
    return "account";
  }

  @GetMapping("/charges/{id}")
  String charge(@AuthenticationPrincipal SignedIn visitor, @PathVariable String id, Model model) {
    Charge charge = billing.charge(visitor.token(), id);
    if (!visitor.mayOpen(charge.account())) {
      throw new PeerRefusedException(404, "");
    }
    model.addAttribute("charge", charge);
    // Each is beside the charge: a page without them still says what the charge was.
    model.addAttribute("explained", ifKnown(() -> billing.explain(visitor.token(), id)));
    model.addAttribute("payment", ifKnown(() -> billing.payment(visitor.token(), id)));
    model.addAttribute(
        "devices", ifKnown(() -> billing.devices(visitor.token(), charge.account())));
    if (visitor.isOperator() && !model.containsAttribute("credit")) {
      model.addAttribute("credit", MoneyForm.empty());
    }
    return "charge";
  }

  private static <T> @Nullable T ifKnown(Supplier<T> answer) {
    try {
      return answer.get();
    } catch (PeerRefusedException e) {
      return null;
    }
  }
}
