package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.BroughtMoney;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.VoucherBatch;
import io.viaduct.webgui.billing.VoucherBatches;
import io.viaduct.webgui.login.SignedIn;
import io.viaduct.webgui.page.Outcome;
import io.viaduct.webgui.page.Refusals;
import io.viaduct.webgui.peer.PeerAwayException;
import io.viaduct.webgui.peer.PeerRefusedException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.mvc.support.RedirectAttributes;

/// An operator makes vouchers, prints them, and takes batches back.
@Controller
class VoucherPages {
  private static final int ROWS = 50;

  private final BroughtMoney money;

  VoucherPages(BroughtMoney money) {
    this.money = money;
  }

  /// The form as typed. The key travels with it, so that the same form makes one batch.
  ///
  /// @param until last day on which the vouchers may be redeemed, in the viewer's zone
  public record Form(UUID idempotencyKey, String count, String amount, String until, String note) {}

  @GetMapping("/vouchers")
  String page(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam(required = false) @Nullable String cursor,
      Model model) {
    VoucherBatches batches = money.batches(visitor.token(), ROWS, cursor);
    model.addAttribute("batches", batches);
    model.addAttribute(
        "returnKeys",
        batches.batches().stream()
            .collect(Collectors.toMap(VoucherBatch::id, _ -> UUID.randomUUID())));
    model.addAttribute("cursor", cursor);
    if (!model.containsAttribute("form")) {
      model.addAttribute("form", new Form(UUID.randomUUID(), "", "", "", ""));
    }
    return "vouchers";
  }

  /// Answers with the sheet itself: the codes are in no redirect, no session and no second answer.
  @PostMapping("/vouchers")
  String make(
      @AuthenticationPrincipal SignedIn visitor,
      @RequestParam UUID idempotencyKey,
      @RequestParam String count,
      @RequestParam String amount,
      @RequestParam String until,
      @RequestParam(defaultValue = "") String note,
      ZoneId zone,
      Model model,
      RedirectAttributes page) {
    Form form =
        new Form(idempotencyKey, count.strip(), amount.strip(), until.strip(), note.strip());
    try {
      model.addAttribute(
          "made",
          money.makeVouchers(
              visitor.token(),
              idempotencyKey,
              Integer.parseInt(form.count()),
              MicroDenarii.ofDenarii(form.amount()),
              end(form.until(), zone),
              form.note()));
      return "voucher-sheet";
    } catch (NumberFormatException e) {
      Outcome.problem(page, "vouchers.problem.number");
    } catch (DateTimeException e) {
      Outcome.problem(page, "vouchers.problem.until");
    } catch (PeerAwayException e) {
      Outcome.problem(page, "vouchers.problem.away");
    } catch (PeerRefusedException e) {
      Outcome.problem(page, "outcome.refused");
      Refusals.attributes(e).forEach(page::addFlashAttribute);
    }
    page.addFlashAttribute("form", form);
    return "redirect:/vouchers";
  }

  // A voucher is good until the end of the day that is printed on it.
  private static Instant end(String day, ZoneId zone) {
    return LocalDate.parse(day).plusDays(1).atStartOfDay(zone).toInstant();
  }

  @PostMapping("/vouchers/{batch}/return")
  String takeBack(
      @AuthenticationPrincipal SignedIn visitor,
      @PathVariable String batch,
      @RequestParam UUID idempotencyKey,
      @RequestParam String reason,
      RedirectAttributes page) {
    Outcome.of(
        page,
        "vouchers.done.returned",
        () -> money.takeBack(visitor.token(), idempotencyKey, batch, reason.strip()));
    return "redirect:/vouchers";
  }
}
