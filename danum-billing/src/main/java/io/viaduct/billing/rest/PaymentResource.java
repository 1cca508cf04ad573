package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.wallet.Wallets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/// Serves how a charge was paid: the wallets that it drew from, and the rule that let its traffic
/// pass.
@RestController
@Tag(name = "charges")
class PaymentResource {
  private final Charges charges;
  private final Wallets wallets;

  PaymentResource(Charges charges, Wallets wallets) {
    this.charges = charges;
    this.wallets = wallets;
  }

  /// @param wallet `grant`, `allowance` or `prepaid`
  /// @param walletId null for prepaid money
  record Part(String wallet, @Nullable String walletId, String amountMicrodenarii) {}

  record Payment(String charge, String passedBy, List<Part> paidBy) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/charges/{id}/payment")
  @Operation(
      summary = "The wallets that paid a charge, and the rule that let its traffic pass",
      operationId = "getPayment")
  Payment get(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    if (!id.matches("[0-9]{1,18}")) {
      throw ProblemException.notFound();
    }
    long number = Long.parseLong(id);
    Charge charge = charges.find(number).orElseThrow(ProblemException::notFound);
    CallerAccess.requireOwn(caller, charge.account());
    MicroDenarii left = new MicroDenarii(Long.parseLong(charge.netMicrodenarii()));
    List<Part> parts = new ArrayList<>();
    for (Wallets.Draw draw : wallets.of(number)) {
      // An expired wallet may have paid more: it got nothing back when the bill was lowered.
      MicroDenarii paid = draw.amount().compareTo(left) < 0 ? draw.amount() : left;
      if (paid.value() > 0) {
        parts.add(
            new Part(
                draw.kind().name().toLowerCase(Locale.ROOT),
                Long.toString(draw.wallet()),
                paid.toString()));
        left = left.minus(paid);
      }
    }
    if (!left.isZero()) {
      parts.add(new Part("prepaid", null, left.toString()));
    }
    return new Payment(id, charge.passedBy(), parts);
  }
}
