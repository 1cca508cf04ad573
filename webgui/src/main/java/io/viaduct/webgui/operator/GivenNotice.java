package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A notice that an account's credit became low, exhausted or sufficient.
///
/// @param delivery by the webhook: `none`, `due`, `delivered` or `given-up`
public record GivenNotice(
    @Nullable String state,
    MicroDenarii creditMicrodenarii,
    @Nullable Instant noticedAt,
    @Nullable String delivery,
    int attempts,
    @Nullable String lastError) {
  public GivenNotice {
    Objects.requireNonNull(creditMicrodenarii);
  }
}
