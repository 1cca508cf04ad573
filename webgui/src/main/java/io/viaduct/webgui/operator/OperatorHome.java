package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.SequenceGaps;
import io.viaduct.webgui.bridge.Registration;
import io.viaduct.webgui.bridge.Snapt;
import io.viaduct.webgui.bridge.SnaptDirectory;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerName;
import java.util.List;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// The first page of an operator, and the pages behind it: registrations, and the verification of
/// the ledger. A bridge that does not answer is one line of the page.
@Controller
class OperatorHome {
  private static final int REGISTRATIONS = 50;
  private static final int RUNS = 10;
  private static final int GAPS = 50;

  private final Billing reports;
  private final OperatorBilling billing;
  private final SnaptDirectory bridge;

  OperatorHome(Billing reports, OperatorBilling billing, SnaptDirectory bridge) {
    this.reports = reports;
    this.billing = billing;
    this.bridge = bridge;
  }

  @GetMapping("/operator")
  String home(@AuthenticationPrincipal SignedIn visitor, Model model) {
    model.addAttribute("overview", billing.attention(visitor.token()));
    SequenceGaps gaps = reports.sequenceGaps(visitor.token(), GAPS, null);
    model.addAttribute("gaps", gaps.gaps().size());
    model.addAttribute("moreGaps", gaps.next() != null);
    try {
      List<Snapt> snapts = bridge.snapts();
      model.addAttribute("snapts", snapts.size());
      model.addAttribute(
          "away", snapts.stream().filter(snapt -> !snapt.knownState().equals("up")).toList());
    } catch (PeerAwayException e) {
      if (e.peer() != PeerName.BRIDGE) {
        throw e;
      }
      model.addAttribute("bridgeAway", true);
    }
    return "operator";
  }

  @GetMapping("/registrations")
  String registrations(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(defaultValue = "") String search,
      @RequestParam(defaultValue = "") String cursor,
      Model model) {
    Registration.Page page = bridge.registrations(search.strip(), cursor, REGISTRATIONS);
    model.addAttribute("page", page);
    model.addAttribute(
        "sessions",
        billing.sessions(
            visitor.token(),
            page.registrations().stream().map(Registration::user).distinct().toList()));
    model.addAttribute("search", search);
    model.addAttribute("cursor", cursor);
    model.addAttribute("refusals", bridge.sipRefusals().refusals());
    return "registrations";
  }

  @GetMapping("/ledger")
  String ledger(@AuthenticationPrincipal SignedIn visitor, Model model) {
    readRuns(visitor.token(), model);
    return "ledger";
  }

  /// The part of the page that asks for itself again while a verification runs.
  @GetMapping("/ledger/runs")
  String runs(@AuthenticationPrincipal SignedIn visitor, Model model) {
    readRuns(visitor.token(), model);
    return "operator-parts :: runs";
  }

  private void readRuns(BearerToken token, Model model) {
    List<VerificationRun> runs = billing.verifications(token, RUNS);
    model.addAttribute("runs", runs);
    model.addAttribute(
        "last", runs.stream().filter(run -> !run.isRunning()).findFirst().orElse(null));
    model.addAttribute(
        "running", runs.stream().filter(VerificationRun::isRunning).findFirst().orElse(null));
  }

  @PostMapping("/ledger/verify")
  String verify(@AuthenticationPrincipal SignedIn visitor, RedirectAttributes page) {
    Outcome.of(page, "ledger.done.started", () -> billing.verify(visitor.token()));
    return "redirect:/ledger";
  }
}
