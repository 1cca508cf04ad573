package io.viaduct.webgui.operator;

import io.viaduct.webgui.bridge.SnaptDirectory;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// An operator enrols and removes SNAPTs and schedules prices, at billing, and lets SNAPTs drain,
/// by the bridge.
@Controller
class SnaptPages {
  private static final String BACK = "redirect:/snapts";

  private final SnaptDirectory bridge;
  private final EnrolledSnapts billing;

  SnaptPages(SnaptDirectory bridge, EnrolledSnapts billing) {
    this.bridge = bridge;
    this.billing = billing;
  }

  @PostMapping("/snapts/{id}/drain")
  String drain(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String id, RedirectAttributes page) {
    drain(visitor, id, OptionalLong.empty(), page);
    return BACK;
  }

  // The bridge has no accounts: billing notes the order first, in the audit log.
  private void drain(SignedIn visitor, String id, OptionalLong deadline, RedirectAttributes page) {
    Outcome.of(
        page,
        "snapts.done.drain",
        () -> {
          billing.noteDrain(visitor.token(), id, "drain", deadline);
          bridge.drain(id, visitor.account(), deadline);
        });
  }

  /// @param deadline seconds; empty for a drain without one
  @PostMapping("/snapts/drain")
  String drainUntil(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam String id,
      @RequestParam(defaultValue = "") String deadline,
      RedirectAttributes page) {
    Outcome.get(
            page,
            null,
            () ->
                deadline.isBlank()
                    ? OptionalLong.empty()
                    : OptionalLong.of(Long.parseLong(deadline.strip())))
        .ifPresent(seconds -> drain(visitor, id.strip(), seconds, page));
    return BACK;
  }

  @PostMapping("/snapts/{id}/undrain")
  String undrain(
      @AuthenticationPrincipal SignedIn visitor, @PathVariable String id, RedirectAttributes page) {
    Outcome.of(
        page,
        "snapts.done.undrain",
        () -> {
          billing.noteDrain(visitor.token(), id, "undrain", OptionalLong.empty());
          bridge.undrain(id, visitor.account());
        });
    return BACK;
  }

  @PostMapping("/snapts/enrol")
  String enrol(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam String id,
      @RequestParam String reportKey,
      @RequestParam String owner,
      @RequestParam(defaultValue = "") String region,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "snapts.done.enrol",
        () ->
            billing.enrol(
                visitor.token(), id.strip(), reportKey.strip(), owner.strip(), region.strip()));
    return BACK;
  }

  @PostMapping("/snapts/remove")
  String remove(
      @AuthenticationPrincipal SignedIn visitor, @RequestParam String id, RedirectAttributes page) {
    Outcome.of(page, "snapts.done.remove", () -> billing.remove(visitor.token(), id.strip()));
    return BACK;
  }

  /// @param from local time in the viewer's zone; empty for now
  @PostMapping("/snapts/price")
  String price(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam String owner,
      @RequestParam Map<String, String> fields,
      @RequestParam(defaultValue = "") String from,
      ZoneId zone,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "snapts.done.price",
        () -> {
          Map<String, String> perGigabyte = new LinkedHashMap<>();
          for (String each : EnrolledSnapts.CLASSES) {
            @Nullable String typed = fields.get(each);
            if (typed != null && !typed.isBlank()) {
              perGigabyte.put(each, typed.strip());
            }
          }
          billing.price(
              visitor.token(),
              owner.strip(),
              perGigabyte,
              from.isBlank() ? null : LocalDateTime.parse(from).atZone(zone).toInstant());
        });
    return BACK;
  }
}
