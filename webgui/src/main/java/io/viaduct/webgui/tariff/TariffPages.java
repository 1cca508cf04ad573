package io.viaduct.webgui.tariff;

import io.viaduct.webgui.billing.ChargeFilter;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
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

/// The versions of the tariff: their list, each of them, what differs between two, and the way back
/// to an older one.
@Controller
class TariffPages {
  private final Tariffs tariffs;

  TariffPages(Tariffs tariffs) {
    this.tariffs = tariffs;
  }

  @GetMapping("/tariffs")
  String list(@AuthenticationPrincipal SignedIn visitor, Model model) {
    List<TariffVersion> versions = tariffs.versions(visitor.token()).value();
    model.addAttribute("versions", new ArrayList<>(versions).reversed());
    model.addAttribute("drafts", tariffs.drafts(visitor.token()));
    return "tariffs";
  }

  @GetMapping("/tariffs/{version:\\d{1,9}}")
  String version(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable int version, Model model) {
    TariffVersion shown = tariffs.version(visitor.token(), version);
    model.addAttribute("version", shown);
    model.addAttribute("form", TariffForm.of(shown.tariff()));
    return "tariff";
  }

  /// @param from null for the version before `to`
  @GetMapping("/tariffs/diff")
  String diff(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(required = false) @Nullable Integer from,
      @RequestParam int to,
      Model model) {
    int first = from == null ? Math.max(1, to - 1) : from;
    BearerToken token = visitor.token();
    model.addAttribute("versions", tariffs.versions(token).value());
    model.addAttribute("changes", tariffs.diff(token, first, to));
    model.addAttribute("from", first);
    model.addAttribute("to", to);
    return "tariff-diff";
  }

  @GetMapping("/tariffs/{version:\\d{1,9}}/rollback")
  String askRollback(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable int version, Model model) {
    BearerToken token = visitor.token();
    Tagged<List<TariffVersion>> versions = tariffs.versions(token);
    TariffVersion inForce = inForce(versions.value());
    model.addAttribute("version", tariffs.version(token, version));
    model.addAttribute("inForce", inForce);
    model.addAttribute("changes", tariffs.diff(token, inForce.version(), version));
    model.addAttribute("scheduled", scheduled(versions.value()));
    model.addAttribute("tag", versions.tag());
    return "tariff-rollback";
  }

  /// Returns the version in force, or the latest one if billing names none.
  static TariffVersion inForce(List<TariffVersion> versions) {
    return versions.stream()
        .filter(TariffVersion::isInForce)
        .findFirst()
        .orElseGet(versions::getLast);
  }

  static List<TariffVersion> scheduled(List<TariffVersion> versions) {
    return versions.stream().filter(each -> each.knownState().equals("scheduled")).toList();
  }

  @PostMapping("/tariffs/{version:\\d{1,9}}/rollback")
  String rollback(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable int version,
      @RequestParam String tag,
      @RequestParam(defaultValue = "") String validFrom,
      ZoneId zone,
      RedirectAttributes page) {
    BearerToken token = visitor.token();
    boolean isDone =
        Outcome.of(
            page,
            "tariff.done.rolledback",
            () ->
                tariffs.publish(
                    token, tag, tariffs.version(token, version).tariff(), time(validFrom, zone)));
    return isDone ? "redirect:/tariffs" : "redirect:/tariffs/" + version + "/rollback";
  }

  /// Returns what a browser's date and time field says; null if it is empty.
  ///
  /// @throws DateTimeParseException if it is no time
  static @Nullable Instant time(String field, ZoneId zone) {
    String utc = field.isBlank() ? null : ChargeFilter.utc(field, zone);
    return utc == null ? null : Instant.parse(utc);
  }
}
