package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.Credit;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.TopUp;
import io.viaduct.webgui.configuration.WebguiConfiguration.Limits;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Refusals;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.util.UUID;
import java.util.function.Consumer;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.util.UriComponentsBuilder;

/// An operator adds money to an account: a top-up, a credit, or the refund of a charge. Every
/// outcome leads back to the page of the form: done, what to mend, or that billing did not answer
/// and that sending the same form again is safe.
@Controller
class MoneyForms {
  private static final int REFERENCE_LENGTH_MAX = 140;

  private final Billing billing;
  private final Limits limits;

  MoneyForms(Billing billing, Limits limits) {
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
    MoneyForm form = new MoneyForm(idempotencyKey, amount.strip(), reference.strip(), null);
    send(
        "topup",
        form,
        page,
        den ->
            billing.topUp(
                visitor.token(), account, idempotencyKey, new TopUp(den, form.reference())));
    return redirect("/accounts/{id}", account);
  }

  @PostMapping("/accounts/{account}/credits")
  String credit(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam UUID idempotencyKey,
      @RequestParam String amount,
      @RequestParam(defaultValue = "") String reference,
      @RequestParam(defaultValue = "") String charge,
      RedirectAttributes page) {
    MoneyForm form = new MoneyForm(idempotencyKey, amount.strip(), reference.strip(), null);
    String refunded = charge.isEmpty() ? null : charge;
    send(
        "credit",
        form,
        page,
        den ->
            billing.credit(
                visitor.token(),
                account,
                idempotencyKey,
                new Credit(den, form.reference(), refunded)));
    return refunded == null
        ? redirect("/accounts/{id}", account)
        : redirect("/charges/{id}", refunded);
  }

  private static String redirect(String path, String id) {
    return "redirect:" + UriComponentsBuilder.fromPath(path).encode().buildAndExpand(id);
  }

  /// @param kind first part of the message keys, and of the page's variables
  private void send(
      String kind, MoneyForm form, RedirectAttributes page, Consumer<MicroDenarii> posting) {
    MoneyForm answer = answer(kind, form, page, posting);
    if (answer.problem() != null) {
      page.addFlashAttribute(kind.equals("topup") ? "topUp" : kind, answer);
    }
  }

  private MoneyForm answer(
      String kind, MoneyForm form, RedirectAttributes page, Consumer<MicroDenarii> posting) {
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
      return form.refused(kind + ".problem.reference");
    }
    try {
      posting.accept(amount);
      page.addFlashAttribute(kind + "Done", amount);
      return form;
    } catch (PeerAwayException e) {
      // Billing may have booked it. The key stays, so that sending it again cannot book it twice.
      return form.refused("topup.problem.away");
    } catch (PeerRefusedException e) {
      page.addFlashAttribute(kind + "Refusal", e.detail());
      page.addFlashAttribute(kind + "RefusedAs", Refusals.key(e));
      return e.status() == 409 && kind.equals("topup")
          ? form.withNewKey().refused("topup.problem.conflict")
          : form.refused(kind + ".problem.refused");
    }
  }
}
