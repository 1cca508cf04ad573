package io.viaduct.webgui.account;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A top-up as typed. The key is made with the rendered form and travels with it, so the same form
/// sent twice, or again after an answer that got lost, is one top-up.
///
/// @param problem message key of what is wrong with it, null if nothing is known to be
public record TopUpForm(
    UUID idempotencyKey, String amount, String reference, @Nullable String problem) {

  public static TopUpForm empty() {
    return new TopUpForm(UUID.randomUUID(), "", "", null);
  }

  TopUpForm refused(String messageKey) {
    return new TopUpForm(idempotencyKey, amount, reference, messageKey);
  }

  TopUpForm withNewKey() {
    return new TopUpForm(UUID.randomUUID(), amount, reference, problem);
  }
}
