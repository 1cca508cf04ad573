package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.Charge;
import io.viaduct.webgui.billing.UsageQuery;
import io.viaduct.webgui.login.SignedIn;
import java.time.InstantSource;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// Savings of an account, month by month.
@Controller
class SavingsPages {
  // Billing knows the years 1970 to 9999.
  private static final YearMonth LEAST = YearMonth.of(1970, 2);
  private static final YearMonth MOST = YearMonth.of(9999, 11);

  private final Billing billing;
  private final InstantSource clock;

  SavingsPages(Billing billing, InstantSource clock) {
    this.billing = billing;
    this.clock = clock;
  }

  /// @param month `2026-11`; anything else is this month
  @GetMapping("/accounts/{account}/savings")
  String savings(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String month,
      ZoneId zone,
      Model model) {
    YearMonth thisMonth = YearMonth.from(clock.instant().atZone(zone));
    YearMonth shown = month(month, thisMonth);
    model.addAttribute("account", account);
    model.addAttribute("month", shown.toString());
    model.addAttribute("before", shown.minusMonths(1).toString());
    model.addAttribute("after", shown.isBefore(thisMonth) ? shown.plusMonths(1).toString() : null);
    model.addAttribute("classes", Charge.CLASSES);
    model.addAttribute(
        "savings",
        Savings.of(
            billing.usage(
                visitor.token(),
                account,
                UsageQuery.between(
                    shown.atDay(1).atStartOfDay(zone).toInstant(),
                    shown.plusMonths(1).atDay(1).atStartOfDay(zone).toInstant(),
                    "day,class",
                    zone))));
    return "savings";
  }

  private static YearMonth month(@Nullable String text, YearMonth otherwise) {
    try {
      YearMonth month = text == null ? otherwise : YearMonth.parse(text);
      return month.isBefore(LEAST) || month.isAfter(MOST) ? otherwise : month;
    } catch (DateTimeParseException e) {
      return otherwise;
    }
  }
}
