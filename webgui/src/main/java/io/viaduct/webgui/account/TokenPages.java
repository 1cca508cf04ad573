package io.viaduct.webgui.account;

import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
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

/// The page of an account's tokens for programs. A new token is shown once.
@Controller
class TokenPages {
  private static final int ROWS = 50;
  private static final int DAYS_MAX = 366;

  private final ApiTokens tokens;
  private final InstantSource clock;

  TokenPages(ApiTokens tokens, InstantSource clock) {
    this.tokens = tokens;
    this.clock = clock;
  }

  @GetMapping("/accounts/{account}/tokens")
  String page(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    model.addAttribute("account", account);
    model.addAttribute("own", visitor.account().equals(account));
    model.addAttribute("tokens", tokens.list(visitor.token(), account, ROWS, cursor));
    model.addAttribute("scopes", ApiTokens.SCOPES);
    model.addAttribute("cursor", cursor);
    return "tokens";
  }

  @PostMapping("/accounts/{account}/tokens")
  String make(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String name,
      @RequestParam(defaultValue = "") List<String> scopes,
      @RequestParam int days,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "tokens.done.made",
        () ->
            page.addFlashAttribute(
                "secret",
                tokens.make(
                    visitor.token(),
                    account,
                    name.strip(),
                    scopes,
                    clock.instant().plus(Duration.ofDays(Math.clamp(days, 1, DAYS_MAX))))));
    return redirect(account);
  }

  @PostMapping("/accounts/{account}/tokens/{token}/revoke")
  String revoke(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @PathVariable String token,
      RedirectAttributes page) {
    Outcome.of(page, "tokens.done.revoked", () -> tokens.revoke(visitor.token(), account, token));
    return redirect(account);
  }

  private static String redirect(String account) {
    return "redirect:"
        + UriComponentsBuilder.fromPath("/accounts/{id}/tokens").encode().buildAndExpand(account);
  }
}
