package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.ChargeFilter;
import io.viaduct.webgui.billing.Usage;
import io.viaduct.webgui.billing.UsageQuery;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// Sums of an account's charges by day, class and application.
@Controller
class UsagePages {
  /// The groupings that the form offers; billing takes any combination.
  private static final List<String> CHOICES =
      List.of("day", "class", "application", "day,class", "day,application", "class,application");

  /// Days that are summed unless the visitor names a time: to add up years takes seconds.
  private static final int DAYS = 31;

  private final Billing billing;
  private final InstantSource clock;

  UsagePages(Billing billing, InstantSource clock) {
    this.billing = billing;
    this.clock = clock;
  }

  @GetMapping("/accounts/{account}/usage")
  String usage(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(defaultValue = "day") String by,
      ZoneId zone,
      Model model) {
    model.addAttribute("account", account);
    boolean isForATime = !(isBlank(from) && isBlank(to));
    String first =
        isForATime
            ? from
            : clock.instant().atZone(zone).toLocalDate().minusDays(DAYS - 1L).toString();
    model.addAttribute("from", first);
    model.addAttribute("to", to);
    model.addAttribute("by", by);
    model.addAttribute("parts", Set.copyOf(List.of(by.split(","))));
    model.addAttribute("choices", CHOICES);
    try {
      Usage usage =
          billing.usage(
              visitor.token(),
              account,
              new UsageQuery(ChargeFilter.between(first, to).in(zone), by, zone));
      model.addAttribute("usage", usage);
    } catch (PeerRefusedException e) {
      if (e.status() != 400) {
        throw e;
      }
      model.addAttribute("problem", "filter.problem");
      model.addAttribute("refusal", e.detail());
    }
    return "usage";
  }

  private static boolean isBlank(@Nullable String text) {
    return text == null || text.isBlank();
  }
}
