package io.viaduct.webgui.login;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/// The page behind an operator's link: a user without the old password sets a new one, once.
@Controller
class ResetPage {
  private final Billing billing;
  private final WebguiConfiguration configuration;

  ResetPage(Billing billing, WebguiConfiguration configuration) {
    this.billing = billing;
    this.configuration = configuration;
  }

  /// @param session made here, for the form's CSRF token
  @GetMapping("/reset")
  String page(@RequestParam(defaultValue = "") String token, HttpSession session, Model model) {
    model.addAttribute("token", token);
    return "reset";
  }

  @PostMapping("/reset")
  String set(
      @RequestParam String token,
      @RequestParam String newPassword,
      @RequestParam String again,
      HttpServletRequest request,
      Model model) {
    model.addAttribute("token", token);
    if (!newPassword.equals(again)) {
      model.addAttribute("problem", "user.problem.again");
      return "reset";
    }
    try {
      billing.useReset(
          token, newPassword, Browser.of(request, configuration.http().trustedProxies()).address());
      return "redirect:/login?problem=reset";
    } catch (PeerAwayException e) {
      model.addAttribute("problem", "user.problem.away");
    } catch (PeerRefusedException e) {
      model.addAttribute("problem", problem(e.status()));
    }
    return "reset";
  }

  private static String problem(int status) {
    return switch (status) {
      case 400 -> "reset.problem.rule";
      case 429 -> "login.problem.throttled";
      default -> "reset.problem.over";
    };
  }
}
