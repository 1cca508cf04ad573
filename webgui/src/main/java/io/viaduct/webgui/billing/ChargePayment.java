package io.viaduct.webgui.billing;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Wallets that paid a charge, and the rule that let its traffic pass.
///
/// @param passedBy `quota`, `grace`, `beyond-quota` or another word of a later version
/// @param paidBy the wallets, in the order in which they were drawn
public record ChargePayment(@Nullable String passedBy, List<Part> paidBy) {
  /// Rules as machines spell them, in the order in which they are shown.
  public static final List<String> RULES = List.of("quota", "grace", "beyond-quota", "none");

  private static final Set<String> WALLETS = Set.of("grant", "allowance", "prepaid");

  public ChargePayment {
    paidBy = paidBy == null ? List.of() : List.copyOf(paidBy);
  }

  /// The rule if the pages have words for it, else null.
  public @Nullable String knownRule() {
    return passedBy != null && RULES.contains(passedBy) ? passedBy : null;
  }

  /// Part that one wallet paid.
  public record Part(@Nullable String wallet, MicroDenarii amountMicrodenarii) {
    public Part {
      Objects.requireNonNull(amountMicrodenarii);
    }

    /// The kind of wallet if the pages have words for it, else null.
    public @Nullable String knownWallet() {
      return wallet != null && WALLETS.contains(wallet) ? wallet : null;
    }
  }
}
