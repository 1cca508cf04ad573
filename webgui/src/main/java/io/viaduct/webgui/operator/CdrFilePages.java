package io.viaduct.webgui.operator;

import io.viaduct.webgui.login.SignedIn;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// The files of charging data records: their list, and each one to keep.
@Controller
class CdrFilePages {
  private static final int ROWS = 50;

  private final OperatorBilling billing;

  CdrFilePages(OperatorBilling billing) {
    this.billing = billing;
  }

  @GetMapping("/cdr-files")
  String list(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    model.addAttribute("cdr", billing.cdrFiles(visitor.token(), ROWS, cursor));
    model.addAttribute("cursor", cursor);
    return "cdr-files";
  }

  /// Hands a file on as it comes, under the name that billing gave it.
  @GetMapping("/cdr-files/{sequence}/content")
  void content(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable long sequence,
      HttpServletResponse response)
      throws IOException {
    String name = billing.cdrFile(visitor.token(), sequence).name();
    try (InputStream content = billing.cdrContent(visitor.token(), sequence)) {
      response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
      response.setHeader(
          HttpHeaders.CONTENT_DISPOSITION,
          ContentDisposition.attachment().filename(name).build().toString());
      content.transferTo(response.getOutputStream());
    }
  }
}
