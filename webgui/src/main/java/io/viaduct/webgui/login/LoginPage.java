package io.viaduct.webgui.login;

import io.viaduct.webgui.configuration.WebguiConfiguration;
import jakarta.servlet.http.HttpSession;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/// The log-in form; works without JavaScript.
@Controller
class LoginPage {
  /// Texts `login.problem.*` exist for these.
  private static final Set<String> PROBLEMS =
      Set.of("wrong", "throttled", "away", "ended", "out", "reset", "late", "provider", "unlinked");

  private final WebguiConfiguration configuration;

  LoginPage(WebguiConfiguration configuration) {
    this.configuration = configuration;
  }

  /// @param session made here, for the form's CSRF token: the template would be too late to refuse
  @GetMapping("/login")
  String login(
      @RequestParam(required = false) @Nullable String problem, HttpSession session, Model model) {
    if (problem != null && PROBLEMS.contains(problem)) {
      model.addAttribute("problem", problem);
    }
    if (configuration.oidc().hasIssuer()) {
      model.addAttribute("provider", configuration.oidc().name());
    }
    return "login";
  }
}
