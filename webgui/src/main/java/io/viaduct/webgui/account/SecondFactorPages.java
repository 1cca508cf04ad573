package io.viaduct.webgui.account;

import io.viaduct.webgui.account.SecondFactors.Secret;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.login.SignIn;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.util.UriComponentsBuilder;

/// The page of an account's second factor. Recovery codes are shown once. A new secret stays in the
/// browser session until a code confirms it, so that a mistyped code does not need another one.
@Controller
class SecondFactorPages {
  private static final String SECRET = "second-factor";

  private final SecondFactors factors;
  private final SignIn signIn;

  SecondFactorPages(SecondFactors factors, WebguiConfiguration configuration) {
    this.factors = factors;
    signIn = new SignIn(configuration);
  }

  @GetMapping("/accounts/{account}/second-factor")
  String page(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      HttpSession session,
      Model model) {
    boolean own = visitor.account().equals(account);
    model.addAttribute("account", account);
    model.addAttribute("own", own);
    model.addAttribute("factor", factors.get(visitor.token(), account));
    if (own && session.getAttribute(SECRET) instanceof Secret secret) {
      model.addAttribute("key", secret.secret().replaceAll("(.{4})(?!$)", "$1 "));
      model.addAttribute("qr", QrCode.of(secret.uri()));
    }
    return "second-factor";
  }

  @PostMapping("/accounts/{account}/second-factor")
  String begin(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      HttpSession session,
      RedirectAttributes page) {
    Outcome.get(page, null, () -> factors.begin(visitor.token(), account))
        .ifPresent(secret -> session.setAttribute(SECRET, secret));
    return redirect(account);
  }

  @PostMapping("/accounts/{account}/second-factor/confirm")
  String confirm(
      Authentication login,
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String code,
      HttpServletRequest request,
      HttpServletResponse response,
      RedirectAttributes page) {
    Outcome.get(
            page, "factor.done.on", () -> factors.confirm(visitor.token(), account, code.strip()))
        .ifPresent(codes -> {
          page.addFlashAttribute("codes", codes);
          request.getSession().removeAttribute(SECRET);
          signIn.keep(
              request,
              response,
              UsernamePasswordAuthenticationToken.authenticated(
                  visitor.withSecondFactor(), null, login.getAuthorities()));
        });
    return redirect(account);
  }

  @PostMapping("/accounts/{account}/second-factor/end")
  String end(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String code,
      RedirectAttributes page) {
    Outcome.of(page, "factor.done.off", () -> factors.end(visitor.token(), account, code.strip()));
    return redirect(account);
  }

  /// For a user who has lost app and recovery codes, by an operator.
  @PostMapping("/accounts/{account}/second-factor/reset")
  String reset(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      RedirectAttributes page) {
    Outcome.of(page, "factor.done.reset", () -> factors.reset(visitor.token(), account));
    return redirect(account);
  }

  private static String redirect(String account) {
    return "redirect:"
        + UriComponentsBuilder.fromPath("/accounts/{id}/second-factor")
            .encode()
            .buildAndExpand(account);
  }
}
