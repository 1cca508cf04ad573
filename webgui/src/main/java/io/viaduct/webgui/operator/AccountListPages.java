package io.viaduct.webgui.operator;

import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/// The operators' list of accounts.
@Controller
class AccountListPages {
  private static final int ROWS = 50;

  private final OperatorBilling billing;

  AccountListPages(OperatorBilling billing) {
    this.billing = billing;
  }

  @GetMapping("/accounts")
  String accounts(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(required = false) @Nullable String search,
      @RequestParam(required = false) @Nullable String state,
      @RequestParam(required = false) @Nullable String sort,
      Model model) {
    AccountQuery query = new AccountQuery(search, state, sort);
    OperatorBilling.AccountList page = list(visitor, query, cursor, model);
    model.addAttribute("query", query);
    model.addAttribute("states", AccountQuery.STATES);
    model.addAttribute("sorts", AccountQuery.SORTS);
    model.addAttribute("accounts", page.accounts());
    model.addAttribute("next", page.next());
    model.addAttribute("cursor", cursor);
    return "accounts";
  }

  // What billing refuses is mended on the page where it was typed.
  private OperatorBilling.AccountList list(
      SignedIn visitor, AccountQuery query, @Nullable String cursor, Model model) {
    try {
      return billing.accounts(visitor.token(), query, ROWS, cursor);
    } catch (PeerRefusedException e) {
      if (e.status() != 400) {
        throw e;
      }
      model.addAttribute("filterProblem", "filter.problem");
      model.addAttribute("filterRefusal", e.detail());
      return new OperatorBilling.AccountList(List.of(), null);
    }
  }
}
