package io.viaduct.webgui.billing;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The wallets of an account, those first that charges draw first.
///
/// @param allowanceMicrodenarii what is granted each month, null if nothing is
public record WalletList(List<Wallet> wallets, @Nullable MicroDenarii allowanceMicrodenarii) {
  public WalletList {
    wallets = List.copyOf(wallets);
  }

  /// Those with something left at a time.
  public List<Wallet> usable(Instant now) {
    return wallets.stream()
        .filter(wallet -> wallet.restMicrodenarii().value() > 0 && wallet.expiresAt().isAfter(now))
        .toList();
  }

  /// Money that expires.
  public record Wallet(
      @Nullable String kind,
      MicroDenarii amountMicrodenarii,
      MicroDenarii restMicrodenarii,
      Instant expiresAt,
      @Nullable String reason) {
    public Wallet {
      Objects.requireNonNull(amountMicrodenarii);
      Objects.requireNonNull(restMicrodenarii);
      Objects.requireNonNull(expiresAt);
    }

    /// `grant` or `allowance`; the first for a word of a later version.
    public String knownKind() {
      return kind != null && Set.of("grant", "allowance").contains(kind) ? kind : "grant";
    }
  }
}
