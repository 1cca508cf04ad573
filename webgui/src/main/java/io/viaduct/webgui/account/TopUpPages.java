package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.BroughtMoney;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.RedeemedVoucher;
import io.viaduct.webgui.billing.StartedPayment;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Refusals;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;
import org.springframework.web.util.UriComponentsBuilder;

/// A user brings money: by a voucher, or by a payment at the operator's payment provider. The page
/// lists what became of each payment.
@Controller
class TopUpPages {
  private static final int ROWS = 20;

  private final Billing billing;
  private final BroughtMoney money;
  private final WebguiConfiguration configuration;

  TopUpPages(Billing billing, BroughtMoney money, WebguiConfiguration configuration) {
    this.billing = billing;
    this.money = money;
    this.configuration = configuration;
  }

  @GetMapping("/accounts/{account}/top-up")
  String page(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    model.addAttribute("account", account);
    model.addAttribute("credit", billing.credit(visitor.token(), account));
    model.addAttribute("payments", money.payments(visitor.token(), account, ROWS, cursor));
    model.addAttribute("cursor", cursor);
    if (!model.containsAttribute("payment")) {
      model.addAttribute("payment", MoneyForm.empty());
    }
    return "top-up";
  }

  @PostMapping("/accounts/{account}/redemptions")
  String redeem(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam String code,
      HttpServletRequest request,
      RedirectAttributes page) {
    String address =
        configuration
            .http()
            .trustedProxies()
            .visitor(request.getRemoteAddr(), request::getHeaders)
            .getHostAddress();
    try {
      RedeemedVoucher redeemed = money.redeem(visitor.token(), account, code, address);
      page.addFlashAttribute("redeemed", redeemed);
    } catch (PeerAwayException e) {
      // Sending the same code again redeems it once.
      page.addFlashAttribute("problem", "voucher.problem.away");
      page.addFlashAttribute("code", code);
    } catch (PeerRefusedException e) {
      page.addFlashAttribute(
          "problem", e.status() == 429 ? "voucher.problem.throttled" : problem(e.status()));
      if (e.status() == 409) {
        Refusals.attributes(e).forEach(page::addFlashAttribute);
      }
      page.addFlashAttribute("code", code);
    }
    return redirect(account);
  }

  private static String problem(int status) {
    return status == 422 ? "voucher.problem.unknown" : "voucher.problem.refused";
  }

  @PostMapping("/accounts/{account}/payments")
  String pay(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String account,
      @RequestParam UUID idempotencyKey,
      @RequestParam String amount,
      RedirectAttributes page) {
    MoneyForm form = new MoneyForm(idempotencyKey, amount.strip(), "", null);
    try {
      StartedPayment started =
          money.startPayment(
              visitor.token(), account, idempotencyKey, MicroDenarii.ofDenarii(form.amount()));
      page.addFlashAttribute("started", started);
    } catch (NumberFormatException e) {
      page.addFlashAttribute("payment", form.refused("topup.problem.amount"));
    } catch (PeerAwayException e) {
      page.addFlashAttribute("payment", form.refused("topup.problem.away"));
    } catch (PeerRefusedException e) {
      page.addFlashAttribute("payment", form.withNewKey().refused(refused(e.status())));
    }
    return redirect(account);
  }

  private static String refused(int status) {
    return switch (status) {
      case 400 -> "payment.problem.range";
      case 429 -> "payment.problem.open";
      default -> "payment.problem.refused";
    };
  }

  private static String redirect(String account) {
    return "redirect:"
        + UriComponentsBuilder.fromPath("/accounts/{id}/top-up").encode().buildAndExpand(account);
  }
}
