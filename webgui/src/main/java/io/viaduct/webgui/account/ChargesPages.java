package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.AccessBilling;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.CallBilling;
import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.billing.ChargeFilter;
import io.viaduct.webgui.billing.ChargePage;
import io.viaduct.webgui.billing.ChargePayment;
import io.viaduct.webgui.billing.ChargeQuery;
import io.viaduct.webgui.billing.DeviceReportBilling;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.InstantSource;
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
  private final Billing billing;
  private final DeviceReportBilling deviceReports;
  private final CallBilling calls;
  private final AccessBilling access;
  private final Limits limits;
  private final InstantSource clock;

  ChargesPages(
      Billing billing,
      DeviceReportBilling deviceReports,
      CallBilling calls,
      AccessBilling access,
      Limits limits,
      InstantSource clock) {
    this.billing = billing;
    this.deviceReports = deviceReports;
    this.calls = calls;
    this.access = access;
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
    String group = ChargeGroups.by(by);
    model.addAttribute("account", account);
    ChargePage page = page(token, account, query, model);
    if (!model.containsAttribute("problem") && isForSums(query)) {
      model.addAttribute(
          "groups",
          ChargeGroups.read(
              billing,
              token,
              account,
              new ChargeGroups.Wanted(query.filter(), group, zone),
              clock.instant()));
    }
    if (query.isNewest()) {
      model.addAttribute(
          "deviceReports", deviceReports.latest(token, account, limits.chargesPerPage()));
      model.addAttribute("calls", calls.latest(token, account, limits.chargesPerPage()).calls());
      model.addAttribute(
          "accessSessions",
          access.latest(token, account, limits.chargesPerPage()).accessSessions());
    }
    model.addAttribute("charges", page.charges());
    model.addAttribute("next", page.next());
    model.addAttribute("query", query);
    model.addAttribute("by", group);
    model.addAttribute("devices", billing.devices(token, account));
    model.addAttribute("choices", ChargeGroups.CHOICES);
    model.addAttribute("days", ChargeGroups.DAYS);
    model.addAttribute("classes", Charge.CLASSES);
    model.addAttribute("states", Charge.STATES);
    model.addAttribute("rules", ChargePayment.RULES);
    model.addAttribute("rows", limits.chargesPerPage());
    return "charges";
  }

  // Sums are of the whole filter: they belong to its first page, and they know neither state nor
  // relay nor rule.
  private static boolean isForSums(ChargeQuery query) {
    ChargeFilter filter = query.filter();
    return query.isFirst()
        && isBlank(filter.state())
        && isBlank(filter.snapt())
        && isBlank(filter.passedBy());
  }

  private static boolean isBlank(@Nullable String text) {
    return Objects.requireNonNullElse(text, "").isBlank();
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
