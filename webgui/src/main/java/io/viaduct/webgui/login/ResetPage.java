package io.viaduct.webgui.login;

import io.viaduct.service.digest.Sha256;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/// The page behind an operator's link: a user without the old password sets a new one, once.
@Controller
class ResetPage {
  private static final String TOKEN = "reset";
  private static final int TOKEN_LENGTH_MAX = 256;

  private final Billing billing;
  private final WebguiConfiguration configuration;

  ResetPage(Billing billing, WebguiConfiguration configuration) {
    this.billing = billing;
    this.configuration = configuration;
  }

  /// Keeps the link's secret in the session, so that no address of a page has it: addresses go into
  /// histories and into the Referer header.
  ///
  /// @param session made here, for the form's CSRF token too
  @GetMapping("/reset")
  String page(
      @RequestParam(required = false) @Nullable String token, HttpSession session, Model model) {
    if (token == null) {
      return form(session, model);
    }
    session.setAttribute(TOKEN, token.length() <= TOKEN_LENGTH_MAX ? token : "");
    return "redirect:/reset";
  }

  @PostMapping("/reset")
  String set(
      @RequestParam String newPassword,
      @RequestParam String again,
      @RequestParam(defaultValue = "") String link,
      HttpServletRequest request,
      HttpSession session,
      Model model) {
    String token = String.valueOf(session.getAttribute(TOKEN));
    if (!link.equals(mark(token))) {
      model.addAttribute("problem", "reset.problem.over");
      return form(session, model);
    }
    if (!newPassword.equals(again)) {
      model.addAttribute("problem", "user.problem.again");
      return form(session, model);
    }
    try {
      billing.useReset(
          token, newPassword, Browser.of(request, configuration.http().trustedProxies()).address());
      session.removeAttribute(TOKEN);
      return "redirect:/login?problem=reset";
    } catch (PeerAwayException e) {
      model.addAttribute("problem", "outcome.away");
    } catch (PeerRefusedException e) {
      model.addAttribute("problem", problem(e.status()));
    }
    return form(session, model);
  }

  // Another link may have been opened in this browser since: the form names its own one.
  private static String form(HttpSession session, Model model) {
    model.addAttribute("link", mark(String.valueOf(session.getAttribute(TOKEN))));
    return "reset";
  }

  private static String mark(String token) {
    return HexFormat.of().formatHex(Sha256.of(token.getBytes(StandardCharsets.UTF_8)), 0, 8);
  }

  private static String problem(int status) {
    return switch (status) {
      case 400 -> "reset.problem.rule";
      case 429 -> "login.problem.throttled";
      default -> "reset.problem.over";
    };
  }
}
