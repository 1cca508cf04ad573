package io.viaduct.webgui.operator;

import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.BearerToken;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/// The page of an owner of SNAPTs: the own SNAPTs and their fees.
@Controller
class FeesPages {
  private static final int ROWS = 100;

  private final EnrolledSnapts billing;

  FeesPages(EnrolledSnapts billing) {
    this.billing = billing;
  }

  @GetMapping("/owners/{owner}/fees")
  String fees(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String owner,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    BearerToken token = visitor.token();
    model.addAttribute("fees", billing.fees(token, owner, ROWS, cursor));
    model.addAttribute("snapts", billing.of(token, owner));
    model.addAttribute("cursor", cursor);
    return "fees";
  }
}
