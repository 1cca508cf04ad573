package io.viaduct.webgui.login;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.OpenedSession;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.login.BillingLogin.CodeNeeded;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import io.viaduct.webgui.peer.SessionEndedException;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/// The second step of a log-in: the code of the authenticator app. Billing's challenge stays in the
/// server's memory; no password is kept.
@Controller
class CodePage {
  private static final String CHALLENGE = "challenge";
  private static final int CODE_LENGTH_MAX = 64;

  private final Billing billing;
  private final WebguiConfiguration configuration;
  private final SignIn signIn;

  CodePage(Billing billing, WebguiConfiguration configuration) {
    this.billing = billing;
    this.configuration = configuration;
    signIn = new SignIn(configuration);
  }

  /// Keeps a challenge for the page.
  static void keep(HttpServletRequest request, CodeNeeded needed) {
    request.getSession().setAttribute(CHALLENGE, needed.challenge());
  }

  @GetMapping("/login/code")
  String page(HttpSession session) {
    return session.getAttribute(CHALLENGE) == null ? "redirect:/login" : "code";
  }

  /// @return the view; null if the visitor is signed in and sent on
  @PostMapping("/login/code")
  @Nullable String send(
      @RequestParam String code,
      HttpServletRequest request,
      HttpServletResponse response,
      HttpSession session,
      Model model)
      throws ServletException, IOException {
    if (!(session.getAttribute(CHALLENGE) instanceof String challenge)) {
      return "redirect:/login?problem=late";
    }
    Browser browser = Browser.of(request, configuration.http().trustedProxies());
    OpenedSession opened;
    try {
      opened =
          billing.sendCode(
              challenge, code.length() > CODE_LENGTH_MAX ? "" : code.strip(), browser.address());
    } catch (SessionEndedException e) {
      session.removeAttribute(CHALLENGE);
      return "redirect:/login?problem=late";
    } catch (PeerRefusedException e) {
      model.addAttribute("problem", e.status() == 429 ? "throttled" : "wrong");
      return "code";
    } catch (PeerAwayException e) {
      model.addAttribute("problem", "away");
      return "code";
    }
    session.removeAttribute(CHALLENGE);
    signIn.accept(request, response, opened, browser);
    return null;
  }
}
