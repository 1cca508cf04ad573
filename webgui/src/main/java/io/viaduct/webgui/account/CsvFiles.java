package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.ChargeFilter;
import io.viaduct.webgui.billing.UsageQuery;
import io.viaduct.webgui.login.SignedIn;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// Hands billing's CSV files (RFC 4180) on to the visitor as they come: no file is ever in memory.
@Controller
class CsvFiles {
  private final Billing billing;

  CsvFiles(Billing billing) {
    this.billing = billing;
  }

  @GetMapping("/accounts/{account}/charges.csv")
  void charges(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @ModelAttribute("filter") ChargeFilter filter,
      ZoneId zone,
      HttpServletResponse response)
      throws IOException {
    send(
        billing.chargesFile(visitor.token(), account, filter.in(zone)),
        "charges-" + account,
        response);
  }

  @GetMapping("/accounts/{account}/usage.csv")
  void usage(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String from,
      @RequestParam(required = false) @Nullable String to,
      @RequestParam(defaultValue = "day") String by,
      ZoneId zone,
      HttpServletResponse response)
      throws IOException {
    send(
        billing.usageFile(
            visitor.token(),
            account,
            new UsageQuery(ChargeFilter.between(from, to).in(zone), by, zone)),
        "usage-" + account,
        response);
  }

  private static void send(InputStream file, String name, HttpServletResponse response)
      throws IOException {
    try (file) {
      response.setContentType("text/csv;charset=UTF-8;header=present");
      response.setHeader(
          HttpHeaders.CONTENT_DISPOSITION,
          ContentDisposition.attachment().filename("viaduct-" + name + ".csv").build().toString());
      file.transferTo(response.getOutputStream());
    }
  }
}
