package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import io.viaduct.webgui.tariff.TariffTrial;
import io.viaduct.webgui.tariff.TrialRun;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Optional;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// An operator makes bills of a past time again: previews it, begins runs, stops and resumes them.
@Controller
class ReratingPages {
  private static final int ROWS = 50;

  private final ReratingBilling billing;

  ReratingPages(ReratingBilling billing) {
    this.billing = billing;
  }

  /// The form as typed.
  ///
  /// @param from begin in the viewer's zone, such as 2026-11-01T00:00
  public record Form(
      String id,
      String from,
      String to,
      String account,
      String serviceClass,
      String tariffVersion,
      String reason) {
    private static final Form EMPTY = new Form("", "", "", "", "", "", "");

    private ReratingBilling.Scope scope(ZoneId zone) {
      return new ReratingBilling.Scope(
          LocalDateTime.parse(from).atZone(zone).toInstant(),
          LocalDateTime.parse(to).atZone(zone).toInstant(),
          account,
          serviceClass,
          Integer.parseInt(tariffVersion));
    }
  }

  @GetMapping("/reratings")
  String page(@AuthenticationPrincipal SignedIn visitor, Model model) {
    model.addAttribute("runs", billing.latest(visitor.token(), ROWS));
    model.addAttribute("classes", Charge.CLASSES);
    if (!model.containsAttribute("form")) {
      model.addAttribute("form", Form.EMPTY);
    }
    return "reratings";
  }

  /// Previews a run, at once or in the background, or begins it, by the button that was pressed.
  @PostMapping("/reratings")
  String send(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam String id,
      @RequestParam String from,
      @RequestParam String to,
      @RequestParam(defaultValue = "") String account,
      @RequestParam(defaultValue = "") String serviceClass,
      @RequestParam String tariffVersion,
      @RequestParam(defaultValue = "") String reason,
      @RequestParam(defaultValue = "preview") String action,
      ZoneId zone,
      RedirectAttributes page) {
    Form form =
        new Form(
            id.strip(),
            from.strip(),
            to.strip(),
            account.strip(),
            serviceClass.strip(),
            tariffVersion.strip(),
            reason.strip());
    boolean isBegun = false;
    if (action.equals("preview-whole")) {
      Optional<TrialRun> run =
          Outcome.get(page, null, () -> billing.beginPreview(visitor.token(), form.scope(zone)));
      if (run.isPresent()) {
        return "redirect:/tariffs/trials/" + run.get().id();
      }
    } else if (action.equals("run")) {
      isBegun =
          Outcome.of(
              page,
              "reratings.done.begun",
              () -> billing.begin(visitor.token(), form.id(), form.scope(zone), form.reason()));
    } else {
      Optional<TariffTrial> trial =
          Outcome.get(page, null, () -> billing.preview(visitor.token(), form.scope(zone)));
      trial.ifPresent(found -> page.addFlashAttribute("trial", found));
    }
    if (!isBegun) {
      page.addFlashAttribute("form", form);
    }
    return "redirect:/reratings";
  }

  @PostMapping("/reratings/{id}/stop")
  String stop(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String id, RedirectAttributes page) {
    Outcome.of(page, "reratings.done.stopped", () -> billing.stop(visitor.token(), id));
    return "redirect:/reratings";
  }

  @PostMapping("/reratings/{id}/resume")
  String resume(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String id, RedirectAttributes page) {
    Outcome.of(page, "reratings.done.resumed", () -> billing.resume(visitor.token(), id));
    return "redirect:/reratings";
  }
}
