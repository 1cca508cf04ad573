package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.Objects;

/// Vouchers that were made together, without their codes.
public record VoucherBatch(
    String id,
    int count,
    MicroDenarii amountMicrodenarii,
    Instant expiresAt,
    String note,
    String createdBy,
    Instant createdAt,
    int open,
    int redeemed,
    int expired,
    int returned) {
  public VoucherBatch {
    Objects.requireNonNull(id);
    Objects.requireNonNull(amountMicrodenarii);
    Objects.requireNonNull(expiresAt);
    Objects.requireNonNull(createdAt);
  }
}
