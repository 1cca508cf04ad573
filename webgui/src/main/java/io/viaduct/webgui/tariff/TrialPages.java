package io.viaduct.webgui.tariff;

import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// Trials of tariffs that run in the background: how far they are, and their sums.
@Controller
@RequestMapping("/tariffs/trials")
class TrialPages {
  private static final String REFRESH_SECONDS = "3";
  private static final int ROWS = 50;

  private final Tariffs tariffs;

  TrialPages(Tariffs tariffs) {
    this.tariffs = tariffs;
  }

  @GetMapping
  String list(@AuthenticationPrincipal SignedIn visitor, Model model) {
    model.addAttribute("runs", tariffs.trials(visitor.token(), ROWS));
    return "trials";
  }

  /// While the trial runs, the browser asks for the page again and again.
  @GetMapping("/{id:\\d{1,18}}")
  String show(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String id,
      Model model,
      HttpServletResponse response) {
    TrialRun run = tariffs.trial(visitor.token(), id);
    if (run.state().equals("running")) {
      response.setHeader("Refresh", REFRESH_SECONDS);
    }
    model.addAttribute("run", run);
    model.addAttribute("trial", run.trial());
    return "trial-run";
  }

  @PostMapping("/{id:\\d{1,18}}/stop")
  String stop(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String id, RedirectAttributes page) {
    Outcome.of(page, null, () -> tariffs.stopTrial(visitor.token(), id));
    return "redirect:/tariffs/trials/" + id;
  }
}
