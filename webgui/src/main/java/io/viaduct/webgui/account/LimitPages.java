package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.AccountCredit;
import io.viaduct.webgui.billing.AccountCredits;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.util.UriComponentsBuilder;

/// Settings of a user for the own account: the most to spend, the credit below which to be told;
/// and what the user was told. Each form carries the tag of the values that it was rendered with.
@Controller
class LimitPages {
  private static final int NOTICES = 20;

  private final AccountCredits credits;

  LimitPages(AccountCredits credits) {
    this.credits = credits;
  }

  @GetMapping("/accounts/{account}/limits")
  String page(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    Tagged<AccountCredit> rules = credits.credit(visitor.token(), account);
    model.addAttribute("account", account);
    model.addAttribute("rules", rules.value());
    model.addAttribute("tag", rules.tag());
    model.addAttribute("notices", credits.notices(visitor.token(), account, NOTICES, cursor));
    model.addAttribute("cursor", cursor);
    return "limits";
  }

  /// @param day empty for no cap; likewise `month`
  @PostMapping("/accounts/{account}/limits/caps")
  String caps(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String tag,
      @RequestParam(defaultValue = "") String day,
      @RequestParam(defaultValue = "") String month,
      RedirectAttributes page) {
    return set(
        page,
        account,
        () -> credits.setCaps(visitor.token(), account, tag, optional(day), optional(month)));
  }

  /// @param low empty for the operator's threshold
  @PostMapping("/accounts/{account}/limits/alert")
  String alert(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String tag,
      @RequestParam(defaultValue = "") String low,
      RedirectAttributes page) {
    return set(page, account, () -> credits.setAlert(visitor.token(), account, tag, optional(low)));
  }

  private static @Nullable MicroDenarii optional(String amount) {
    return amount.isBlank() ? null : MicroDenarii.ofDenarii(amount);
  }

  private static String set(RedirectAttributes page, String account, Runnable action) {
    Outcome.of(page, "limits.done.saved", action);
    return "redirect:"
        + UriComponentsBuilder.fromPath("/accounts/{id}/limits").encode().buildAndExpand(account);
  }
}
