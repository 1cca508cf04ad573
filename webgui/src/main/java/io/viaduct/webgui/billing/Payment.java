package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonAlias;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Money that came to an account: a top-up, a credit or a refund.
///
/// @param kind `credit` or `refund`, null for a top-up
/// @param reference of a top-up; of a credit the reason
/// @param charge that was refunded
public record Payment(
    String transaction,
    @Nullable String kind,
    MicroDenarii amountMicrodenarii,
    @JsonAlias("reason") String reference,
    @Nullable String charge,
    @Nullable String createdBy,
    @Nullable Instant createdAt) {
  public Payment {
    Objects.requireNonNull(transaction);
    Objects.requireNonNull(amountMicrodenarii);
    Objects.requireNonNull(reference);
  }

  /// True if it gives back a charge.
  public boolean isRefund() {
    return charge != null;
  }
}
