package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.billing.ChargeFilter;
import io.viaduct.webgui.billing.ChargePage;
import io.viaduct.webgui.billing.ChargeQuery;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// Balance first, then why. A user's home is the page of the own account; an operator opens
/// anybody's.
@Controller
class AccountPages {
  private static final int LATEST_ROWS = 10;
  private static final int LATEST_CREDITS = 3;

  private final Billing billing;
  private final Limits limits;

  AccountPages(Billing billing, Limits limits) {
    this.billing = billing;
    this.limits = limits;
  }

  @GetMapping("/")
  String home(@AuthenticationPrincipal SignedIn visitor, Model model) {
    return visitor.isOperator() ? "redirect:/accounts" : account(visitor, visitor.account(), model);
  }

  @GetMapping("/accounts/{account}")
  String account(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String account, Model model) {
    model.addAttribute("account", billing.account(visitor.token(), account));
    int rows = Math.min(LATEST_ROWS, limits.chargesPerPage());
    model.addAllAttributes(AccountState.read(billing, visitor.token(), account, rows).variables());
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

  @GetMapping("/accounts/{account}/charges")
  String charges(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String cursor,
      @ModelAttribute("filter") ChargeFilter filter,
      ZoneId zone,
      Model model) {
    ChargeQuery query = new ChargeQuery(limits.chargesPerPage(), cursor, filter.in(zone));
    BearerToken token = visitor.token();
    model.addAttribute("account", billing.account(token, account));
    model.addAttribute("balance", billing.balance(token, account));
    ChargePage page = charges(token, account, query, model);
    model.addAttribute("charges", page.charges());
    model.addAttribute("next", page.next());
    model.addAttribute("query", query);
    model.addAttribute("classes", Charge.CLASSES);
    model.addAttribute("states", Charge.STATES);
    model.addAttribute("rows", limits.chargesPerPage());
    return "charges";
  }

  // A filter that billing refuses is mended on the page where it was typed.
  private ChargePage charges(BearerToken token, String account, ChargeQuery query, Model model) {
    try {
      return billing.charges(token, account, query);
    } catch (PeerRefusedException e) {
      if (e.status() != 400) {
        throw e;
      }
      model.addAttribute("problem", e.detail());
      return new ChargePage(List.of(), null);
    }
  }

  @GetMapping("/charges/{id}")
  String charge(@AuthenticationPrincipal SignedIn visitor, @PathVariable String id, Model model) {
    Charge charge = billing.charge(visitor.token(), id);
    if (!visitor.mayOpen(charge.account())) {
      throw new PeerRefusedException(404, "");
    }
    model.addAttribute("charge", charge);
    if (visitor.isOperator() && !model.containsAttribute("credit")) {
      model.addAttribute("credit", MoneyForm.empty());
    }
    return "charge";
  }
}
