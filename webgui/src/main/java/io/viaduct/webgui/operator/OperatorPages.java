package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.AccountPage;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.bridge.SnaptDirectory;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.PeerAwayException;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/// Accounts and SNAPTs.
@Controller
class OperatorPages {
  private static final int ACCOUNT_ROWS = 50;

  private final Billing billing;
  private final SnaptDirectory directory;
  private final Limits limits;

  OperatorPages(Billing billing, SnaptDirectory directory, Limits limits) {
    this.billing = billing;
    this.directory = directory;
    this.limits = limits;
  }

  @GetMapping("/accounts")
  String accounts(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    AccountPage page = billing.accounts(visitor.token(), ACCOUNT_ROWS, cursor);
    model.addAttribute("accounts", page.accounts());
    model.addAttribute("next", page.next());
    model.addAttribute("cursor", cursor);
    return "accounts";
  }

  @GetMapping("/snapts")
  String snapts(Model model) {
    model.addAttribute("refreshMs", limits.snaptRefresh().toMillis());
    readSnapts(model);
    return "snapts";
  }

  /// The part of the page that asks for itself again every `limits.snapt-refresh`. A bridge that
  /// does not answer is a state of that part, so the page stays and recovers by itself.
  @GetMapping("/snapts/table")
  String snaptTable(Model model) {
    readSnapts(model);
    return "fragments :: snapts";
  }

  private void readSnapts(Model model) {
    try {
      model.addAttribute("snapts", directory.snapts());
    } catch (PeerAwayException e) {
      model.addAttribute("away", true);
    }
  }
}
