package io.viaduct.webgui.operator;

import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Money that expires.
///
/// @param kind `grant` or `allowance`
public record Wallet(
    String id,
    @Nullable String kind,
    MicroDenarii amountMicrodenarii,
    MicroDenarii restMicrodenarii,
    @Nullable Instant grantedAt,
    @Nullable Instant expiresAt,
    @Nullable String reason) {
  public Wallet {
    Objects.requireNonNull(id);
    Objects.requireNonNull(amountMicrodenarii);
    Objects.requireNonNull(restMicrodenarii);
  }

  /// The wallets of an account.
  ///
  /// @param allowanceMicrodenarii granted each month; null if nothing is
  public record All(List<Wallet> wallets, @Nullable MicroDenarii allowanceMicrodenarii) {
    public All {
      wallets = List.copyOf(wallets);
    }
  }
}
