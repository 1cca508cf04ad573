package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.billing.ChargeFilter;
import io.viaduct.webgui.billing.ChargePage;
import io.viaduct.webgui.billing.ChargeQuery;
import io.viaduct.webgui.billing.UsageQuery;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// All charges of an account: their sums by day and by something else, and the single intervals.
@Controller
class ChargesPages {
  /// Fields by which the sums of a day are taken; the first one unless another is chosen.
  private static final List<String> GROUPS = List.of("application", "device", "class");

  private static final int DAYS = 7;

  private final Billing billing;
  private final Limits limits;
  private final InstantSource clock;

  ChargesPages(Billing billing, Limits limits, InstantSource clock) {
    this.billing = billing;
    this.limits = limits;
    this.clock = clock;
  }

  @GetMapping("/accounts/{account}/charges")
  String charges(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String cursor,
      @RequestParam(defaultValue = "application") String by,
      @ModelAttribute("filter") ChargeFilter filter,
      ZoneId zone,
      Model model) {
    ChargeQuery query = new ChargeQuery(limits.chargesPerPage(), cursor, filter.in(zone));
    BearerToken token = visitor.token();
    String group = GROUPS.contains(by) ? by : GROUPS.getFirst();
    model.addAttribute("account", account);
    ChargePage page = page(token, account, query, model);
    if (!model.containsAttribute("problem") && isForSums(query)) {
      model.addAttribute("groups", groups(token, account, query.filter(), group, zone));
    }
    model.addAttribute("charges", page.charges());
    model.addAttribute("next", page.next());
    model.addAttribute("query", query);
    model.addAttribute("by", group);
    model.addAttribute("choices", GROUPS);
    model.addAttribute("days", DAYS);
    model.addAttribute("classes", Charge.CLASSES);
    model.addAttribute("states", Charge.STATES);
    model.addAttribute("rows", limits.chargesPerPage());
    return "charges";
  }

  // Sums are of the whole filter: they belong to its first page, and they know neither state nor
  // relay.
  private static boolean isForSums(ChargeQuery query) {
    return query.isFirst() && isBlank(query.filter().state()) && isBlank(query.filter().snapt());
  }

  private static boolean isBlank(@Nullable String text) {
    return Objects.requireNonNullElse(text, "").isBlank();
  }

  private @Nullable ChargeGroups groups(
      BearerToken token, String account, ChargeFilter filter, String by, ZoneId zone) {
    LocalDate first = clock.instant().atZone(zone).toLocalDate().minusDays(DAYS - 1L);
    ChargeFilter bounded =
        isBlank(filter.from()) && isBlank(filter.to())
            ? filter.from(first.atStartOfDay(zone).toInstant().toString())
            : filter;
    try {
      return ChargeGroups.of(
          billing.usage(token, account, new UsageQuery(bounded, "day," + by, zone)));
    } catch (PeerRefusedException e) {
      return null; // more rows than billing sums up at once: the single intervals are there
    }
  }

  // A filter that billing refuses is mended on the page where it was typed.
  private ChargePage page(BearerToken token, String account, ChargeQuery query, Model model) {
    try {
      return billing.charges(token, account, query);
    } catch (PeerRefusedException e) {
      if (e.status() != 400) {
        throw e;
      }
      model.addAttribute("problem", "filter.problem");
      model.addAttribute("refusal", e.detail());
      return new ChargePage(List.of(), null);
    }
  }
}
