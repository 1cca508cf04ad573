package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A payment that a user has started at the payment provider.
///
/// @param state `started`, `paid` or `failed`
/// @param payUrl the provider's page; null once it is paid
public record StartedPayment(
    String id,
    MicroDenarii amountMicrodenarii,
    Instant startedAt,
    String state,
    @Nullable String payUrl) {
  public StartedPayment {
    Objects.requireNonNull(id);
    Objects.requireNonNull(amountMicrodenarii);
    Objects.requireNonNull(startedAt);
    // A link must never become a script.
    payUrl = payUrl != null && payUrl.matches("https?://.*") ? payUrl : null;
    state = state.matches("paid|failed") ? state : "started";
  }
}
