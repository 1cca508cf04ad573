package io.viaduct.webgui.operator;

import io.viaduct.webgui.login.SignedIn;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/// The audit log, as a page and as a file.
@Controller
class AuditPages {
  private static final int ROWS = 50;

  private final OperatorBilling billing;

  AuditPages(OperatorBilling billing) {
    this.billing = billing;
  }

  @GetMapping("/audit")
  String audit(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(defaultValue = "") String account,
      @RequestParam(defaultValue = "") String about,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    model.addAttribute(
        "audit", billing.audit(visitor.token(), account.strip(), about.strip(), ROWS, cursor));
    model.addAttribute("account", account.strip());
    model.addAttribute("about", about.strip());
    model.addAttribute("cursor", cursor);
    return "audit";
  }

  @GetMapping("/audit.csv")
  void file(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(defaultValue = "") String account,
      @RequestParam(defaultValue = "") String about,
      HttpServletResponse response)
      throws IOException {
    try (InputStream file = billing.auditFile(visitor.token(), account.strip(), about.strip())) {
      response.setContentType("text/csv;charset=UTF-8;header=present");
      response.setHeader(
          HttpHeaders.CONTENT_DISPOSITION,
          ContentDisposition.attachment().filename("viaduct-audit.csv").build().toString());
      file.transferTo(response.getOutputStream());
    }
  }
}
