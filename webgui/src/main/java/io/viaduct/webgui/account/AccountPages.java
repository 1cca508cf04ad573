package io.viaduct.webgui.account;

import io.viaduct.webgui.WebguiConfiguration.Limits;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.billing.ChargePage;
import io.viaduct.webgui.billing.ChargeQuery;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.PeerRefusedException;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// Balance first, then why. A user's home is the page of the own account; an operator opens
/// anybody's.
@Controller
class AccountPages {
  private static final int LATEST_ROWS = 10;

  private final Billing billing;
  private final Limits limits;

  AccountPages(Billing billing, Limits limits) {
    this.billing = billing;
    this.limits = limits;
  }

  @GetMapping("/")
  String home(@AuthenticationPrincipal SignedIn visitor, Model model) {
    return visitor.operator() ? "redirect:/accounts" : account(visitor, visitor.account(), model);
  }

  @GetMapping("/accounts/{account}")
  String account(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String account, Model model) {
    model.addAttribute("account", billing.account(visitor.token(), account));
    int rows = Math.min(LATEST_ROWS, limits.chargesPerPage());
    model.addAllAttributes(AccountState.read(billing, visitor.token(), account, rows).variables());
    model.addAttribute("rows", rows);
    if (visitor.operator() && !model.containsAttribute("topUp")) {
      model.addAttribute("topUp", TopUpForm.empty());
    }
    return "account";
  }

  @GetMapping("/accounts/{account}/charges")
  String charges(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(required = false) @Nullable String application,
      @RequestParam(required = false) @Nullable String snapt,
      Model model) {
    ChargeQuery query = new ChargeQuery(limits.chargesPerPage(), cursor, application, snapt);
    BearerToken token = visitor.token();
    ChargePage page = billing.charges(token, account, query);
    model.addAttribute("account", billing.account(token, account));
    model.addAttribute("balance", billing.balance(token, account));
    model.addAttribute("charges", page.charges());
    model.addAttribute("next", page.next());
    model.addAttribute("query", query);
    model.addAttribute("rows", limits.chargesPerPage());
    return "charges";
  }

  @GetMapping("/charges/{id}")
  String charge(@AuthenticationPrincipal SignedIn visitor, @PathVariable String id, Model model) {
    Charge charge = billing.charge(visitor.token(), id);
    if (!visitor.mayOpen(charge.account())) {
      throw new PeerRefusedException(404, "");
    }
    model.addAttribute("charge", charge);
    return "charge";
  }
}
