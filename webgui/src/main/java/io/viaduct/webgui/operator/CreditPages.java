package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.AccountCredit;
import io.viaduct.webgui.billing.AccountCredits;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.ChargeFilter;
import io.viaduct.webgui.billing.CreditNotices;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
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
import org.springframework.web.util.UriComponentsBuilder;

/// Credit of an account, for operators: limit, caps, block, reservations, notices and wallets. Each
/// form carries the tag of the credit or allowance that it was rendered with, so that nobody
/// overwrites the change of somebody else. A grant and an allowance have an idempotency key.
@Controller
class CreditPages {
  private static final int RESERVATIONS = 50;
  private static final int NOTICES = 20;
  private static final int REASON_LENGTH_MAX = 256;

  private final Billing accounts;
  private final AccountCredits credits;
  private final OperatorBilling billing;

  CreditPages(Billing accounts, AccountCredits credits, OperatorBilling billing) {
    this.accounts = accounts;
    this.credits = credits;
    this.billing = billing;
  }

  @GetMapping("/credit")
  String overview(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(defaultValue = "false") boolean cut,
      Model model) {
    model.addAttribute("overview", billing.overview(visitor.token(), cut, RESERVATIONS));
    model.addAttribute("cut", cut);
    return "credit-overview";
  }

  @GetMapping("/accounts/{account}/credit")
  String credit(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    BearerToken token = visitor.token();
    Tagged<AccountCredit> credit = credits.credit(token, account);
    CreditNotices notices = credits.notices(token, account, NOTICES, cursor);
    model.addAttribute("account", accounts.account(token, account));
    model.addAttribute("credit", credit.value());
    model.addAttribute("tag", credit.tag());
    model.addAttribute("reservations", billing.reservations(token, account, RESERVATIONS));
    model.addAttribute("notices", notices.notices());
    model.addAttribute("next", notices.next());
    model.addAttribute("cursor", cursor);
    Wallet.All wallets = billing.wallets(token, account);
    model.addAttribute("wallets", wallets);
    model.addAttribute(
        "allowanceTag",
        wallets.allowanceMicrodenarii() == null ? "" : billing.allowanceTag(token, account));
    model.addAttribute("grantKey", UUID.randomUUID());
    model.addAttribute("allowanceKey", UUID.randomUUID());
    return "credit";
  }

  @PostMapping("/accounts/{account}/credit/limit")
  String limit(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String tag,
      @RequestParam String amount,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "creditpage.done.limit",
        () -> credits.setLimit(visitor.token(), account, tag, MicroDenarii.ofDenarii(amount)));
    return redirect(account);
  }

  @PostMapping("/accounts/{account}/credit/caps")
  String caps(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String tag,
      @RequestParam(defaultValue = "") String day,
      @RequestParam(defaultValue = "") String month,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "creditpage.done.caps",
        () -> credits.setCaps(visitor.token(), account, tag, optional(day), optional(month)));
    return redirect(account);
  }

  private static @Nullable MicroDenarii optional(String amount) {
    return amount.isBlank() ? null : MicroDenarii.ofDenarii(amount);
  }

  @PostMapping("/accounts/{account}/credit/block")
  String block(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String tag,
      @RequestParam boolean blocked,
      @RequestParam(defaultValue = "") String reason,
      RedirectAttributes page) {
    String told = reason.strip();
    if (told.isEmpty() || told.length() > REASON_LENGTH_MAX) {
      Outcome.problem(page, "decision.problem.reason");
    } else {
      Outcome.of(
          page,
          blocked ? "creditpage.done.blocked" : "creditpage.done.unblocked",
          () -> credits.setBlocked(visitor.token(), account, tag, blocked, told));
    }
    return redirect(account);
  }

  @PostMapping("/accounts/{account}/credit/grants")
  String grant(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam UUID idempotencyKey,
      @RequestParam String amount,
      @RequestParam String expires,
      @RequestParam(defaultValue = "") String reason,
      ZoneId zone,
      RedirectAttributes page) {
    Instant expiresAt = time(expires, zone);
    if (expiresAt == null) {
      Outcome.problem(page, "creditpage.problem.expires");
    } else {
      Outcome.of(
          page,
          "creditpage.done.granted",
          () ->
              billing.grant(
                  visitor.token(),
                  account,
                  idempotencyKey,
                  MicroDenarii.ofDenarii(amount),
                  expiresAt,
                  reason.strip()));
    }
    return redirect(account);
  }

  private static @Nullable Instant time(String field, ZoneId zone) {
    try {
      String utc = ChargeFilter.utc(field, zone);
      return utc == null ? null : Instant.parse(utc);
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  /// @param amount granted each month; blank ends the monthly grants
  @PostMapping("/accounts/{account}/credit/allowance")
  String allowance(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(defaultValue = "") String tag,
      @RequestParam UUID idempotencyKey,
      @RequestParam(defaultValue = "") String amount,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "creditpage.done.allowance",
        () -> {
          if (amount.isBlank()) {
            billing.endAllowance(visitor.token(), account, tag);
          } else {
            billing.setAllowance(
                visitor.token(), account, tag, idempotencyKey, MicroDenarii.ofDenarii(amount));
          }
        });
    return redirect(account);
  }

  private static String redirect(String account) {
    return "redirect:"
        + UriComponentsBuilder.fromPath("/accounts/{id}/credit").encode().buildAndExpand(account);
  }
}
