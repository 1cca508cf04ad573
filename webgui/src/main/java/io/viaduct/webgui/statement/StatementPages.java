package io.viaduct.webgui.statement;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.Statement;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Display;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.DateTimeException;
import java.time.InstantSource;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.MessageSource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// Statements by month, in the viewer's time zone.
@Controller
class StatementPages {
  private static final int MONTHS_OFFERED = 13;

  private final Billing billing;
  private final MessageSource texts;
  private final InstantSource clock;

  StatementPages(Billing billing, MessageSource texts, InstantSource clock) {
    this.billing = billing;
    this.texts = texts;
    this.clock = clock;
  }

  @GetMapping("/accounts/{account}/statement")
  String page(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String month,
      ZoneId zone,
      Model model) {
    YearMonth now = YearMonth.from(clock.instant().atZone(zone));
    YearMonth wanted = month(month, now);
    model.addAttribute("account", account);
    model.addAttribute("month", wanted.toString());
    model.addAttribute(
        "months",
        Stream.iterate(now, m -> m.minusMonths(1))
            .limit(MONTHS_OFFERED)
            .map(YearMonth::toString)
            .toList());
    model.addAttribute("statement", billing.statement(visitor.token(), account, wanted, zone));
    return "statement";
  }

  @GetMapping("/accounts/{account}/statement.pdf")
  void pdf(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String month,
      ZoneId zone,
      Locale locale,
      HttpServletResponse response)
      throws IOException {
    YearMonth wanted = month(month, YearMonth.from(clock.instant().atZone(zone)));
    Statement statement = billing.statement(visitor.token(), account, wanted, zone);
    byte[] pdf = new StatementPdf(texts, locale, new Display(zone)).write(statement);
    response.setContentType(MediaType.APPLICATION_PDF_VALUE);
    attach(response, account, wanted, "pdf");
    response.setContentLength(pdf.length);
    response.getOutputStream().write(pdf);
  }

  @GetMapping("/accounts/{account}/statement.csv")
  void csv(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String month,
      ZoneId zone,
      HttpServletResponse response)
      throws IOException {
    YearMonth wanted = month(month, YearMonth.from(clock.instant().atZone(zone)));
    try (InputStream file = billing.statementFile(visitor.token(), account, wanted, zone)) {
      response.setContentType("text/csv;charset=UTF-8;header=present");
      attach(response, account, wanted, "csv");
      var unused = file.transferTo(response.getOutputStream());
    }
  }

  @GetMapping("/accounts/{account}/statement.jsonl")
  void signed(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String month,
      HttpServletResponse response)
      throws IOException {
    YearMonth wanted = month(month, YearMonth.from(clock.instant().atZone(ZoneOffset.UTC)));
    try (InputStream file = billing.signedStatement(visitor.token(), account, wanted)) {
      response.setContentType("application/jsonl");
      attach(response, account, wanted, "jsonl");
      var unused = file.transferTo(response.getOutputStream());
    }
  }

  /// The published roots need no log-in: everybody can compare them.
  @GetMapping("/statement-roots.json")
  void roots(HttpServletResponse response) throws IOException {
    try (InputStream file = billing.publishedRoots()) {
      response.setContentType(MediaType.APPLICATION_JSON_VALUE);
      var unused = file.transferTo(response.getOutputStream());
    }
  }

  private static void attach(
      HttpServletResponse response, String account, YearMonth month, String type) {
    response.setHeader(
        HttpHeaders.CONTENT_DISPOSITION,
        "attachment; filename=\"viaduct-statement-%s-%s.%s\""
            .formatted(account.replaceAll("[^A-Za-z0-9._-]", "_"), month, type));
  }

  // An address that was written by hand leads to this month.
  private static YearMonth month(@Nullable String month, YearMonth now) {
    try {
      YearMonth wanted =
          month != null && month.matches("[0-9]{4}-[0-9]{2}") ? YearMonth.parse(month) : now;
      return wanted.isAfter(now) ? now : wanted;
    } catch (DateTimeException _) {
      return now;
    }
  }
}
