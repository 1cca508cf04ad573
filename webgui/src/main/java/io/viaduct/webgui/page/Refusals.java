package io.viaduct.webgui.page;

import io.viaduct.webgui.peer.PeerRefusedException;
import java.util.Map;
import java.util.Set;

/// Refusals of billing in the viewer's language. What kind of refusal it is comes from the bundle;
/// billing's own sentence has the value and the rule, in English, and is shown beside it as such.
public final class Refusals {
  private static final Set<String> TYPES =
      Set.of(
          "forbidden",
          "not-found",
          "invalid-request",
          "wrong-old-password",
          "account-exists",
          "account-closed",
          "configured-operator",
          "idempotency-key-reused",
          "voucher-unknown",
          "voucher-ended",
          "no-provider",
          "refund-exceeds-charge",
          "already-decided",
          "not-due",
          "too-many-drafts",
          "tariff-refused");

  private Refusals() {}

  /// Returns the message key of a refusal's kind; that of any refusal if it has none of its own.
  public static String key(PeerRefusedException refused) {
    return TYPES.contains(refused.type()) ? "refusal." + refused.type() : "refusal.other";
  }

  /// Returns what pages show of a refusal: the key of its kind, and billing's sentence.
  public static Map<String, String> attributes(PeerRefusedException refused) {
    return Map.of("refusedAs", key(refused), "refusal", refused.detail());
  }
}
