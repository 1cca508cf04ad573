package io.viaduct.webgui.account;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A top-up, credit or refund as typed. The key is made with the rendered form and travels with it,
/// so the same form sent twice, or again after an answer that got lost, posts once.
///
/// @param reference of a top-up; of a credit the reason
/// @param problem message key of what is wrong with it, null if nothing is known to be
public record MoneyForm(
    UUID idempotencyKey, String amount, String reference, @Nullable String problem) {

  public static MoneyForm empty() {
    return new MoneyForm(UUID.randomUUID(), "", "", null);
  }

  MoneyForm refused(String messageKey) {
    return new MoneyForm(idempotencyKey, amount, reference, messageKey);
  }

  MoneyForm withNewKey() {
    return new MoneyForm(UUID.randomUUID(), amount, reference, problem);
  }
}
