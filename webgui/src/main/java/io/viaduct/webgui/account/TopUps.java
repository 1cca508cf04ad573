package io.viaduct.webgui.account;

import io.viaduct.webgui.WebguiConfiguration.Limits;
import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.TopUp;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.util.UUID;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.util.UriComponentsBuilder;

/// An operator adds money to an account. Every outcome leads back to the account's page: done, what
/// to mend, or that billing did not answer and that sending the same form again is safe.
@Controller
class TopUps {
  private static final int REFERENCE_LENGTH_MAX = 140;

  private final Billing billing;
  private final Limits limits;

  TopUps(Billing billing, Limits limits) {
    this.billing = billing;
    this.limits = limits;
  }

  @PostMapping("/accounts/{account}/top-ups")
  String topUp(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam UUID idempotencyKey,
      @RequestParam String amount,
      @RequestParam(defaultValue = "") String reference,
      RedirectAttributes page) {
    TopUpForm form = new TopUpForm(idempotencyKey, amount.strip(), reference.strip(), null);
    TopUpForm answer = send(visitor, account, form, page);
    if (answer.problem() != null) {
      page.addFlashAttribute("topUp", answer);
    }
    return "redirect:"
        + UriComponentsBuilder.fromPath("/accounts/{account}").encode().buildAndExpand(account);
  }

  private TopUpForm send(
      SignedIn visitor, String account, TopUpForm form, RedirectAttributes page) {
    MicroDenarii amount;
    try {
      amount = MicroDenarii.ofDenarii(form.amount());
    } catch (NumberFormatException e) {
      return form.refused("topup.problem.amount");
    }
    if (amount.value() == 0 || amount.value() > limits.topUpDenarii() * 1_000_000) {
      return form.refused("topup.problem.range");
    }
    if (form.reference().isEmpty() || form.reference().length() > REFERENCE_LENGTH_MAX) {
      return form.refused("topup.problem.reference");
    }
    try {
      billing.topUp(
          visitor.token(), account, form.idempotencyKey(), new TopUp(amount, form.reference()));
      page.addFlashAttribute("toppedUp", amount);
      return form;
    } catch (PeerAwayException e) {
      // Whether it was booked is not known: the key stays, so sending again cannot book twice.
      return form.refused("topup.problem.away");
    } catch (PeerRefusedException e) {
      page.addFlashAttribute("topUpRefusal", e.detail());
      return e.status() == 409
          ? form.withNewKey().refused("topup.problem.conflict")
          : form.refused("topup.problem.refused");
    }
  }
}
