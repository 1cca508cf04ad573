package io.viaduct.webgui.page;

import io.viaduct.webgui.peer.PeerRefusedException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.springframework.context.MessageSource;

/// Refusals of billing in the viewer's language. What kind of refusal it is comes from the bundle,
/// and so do the rules of a tariff; billing's own sentence has the value and the rule, in English,
/// and is shown beside it as such where the bundle says no more.
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
          "rerating-overlaps",
          "already-decided",
          "not-due",
          "too-many-drafts",
          "wrong-code",
          "too-many-attempts",
          "second-factor-on",
          "second-factor-required",
          "tariff-refused");

  /// Rules of a tariff that the bundle says as well as billing does. Of a document that is none of
  /// a tariff billing's sentence says more.
  private static final Set<String> RULES =
      Set.of(
          "DOCUMENT_VERSION",
          "KNOT_COUNT",
          "KNOTS_INCREASE",
          "FINITE_NOT_NEGATIVE",
          "LAST_VALUE_ZERO",
          "AREA_POSITIVE",
          "NON_INCREASING",
          "CLASS_MISSING",
          "POSITIVE",
          "KAPPA_SIGN",
          "FRACTION",
          "NAME",
          "EFFECTIVE_FROM_PAST");

  /// A sentence with its language.
  ///
  /// @param isEnglish true for billing's own words
  public record Sentence(String text, boolean isEnglish) {
    static final Sentence NONE = new Sentence("", false);
  }

  private Refusals() {}

  /// Returns what is wrong with a tariff: place, knot and rule in the viewer's language, or
  /// billing's sentence if the bundle has none for the rule.
  public static Sentence ofTariff(
      PeerRefusedException refused, MessageSource texts, Locale locale) {
    if (!RULES.contains(refused.rule())) {
      return new Sentence(refused.detail(), true);
    }
    String rule = texts.getMessage("refusal.rule." + refused.rule(), null, locale);
    if (refused.place().isEmpty()) {
      return new Sentence(rule, false);
    }
    String at =
        refused.knot() == PeerRefusedException.NO_KNOT
            ? texts.getMessage("refusal.at", new Object[] {refused.place()}, locale)
            : texts.getMessage(
                "refusal.at.knot",
                new Object[] {refused.place(), Integer.toString(refused.knot() + 1)},
                locale);
    return new Sentence(at + " " + rule, false);
  }

  /// Returns the message key of a refusal's kind; that of any refusal if it has none of its own.
  public static String key(PeerRefusedException refused) {
    return TYPES.contains(refused.type()) ? "refusal." + refused.type() : "refusal.other";
  }

  /// Returns what pages show of a refusal: the key of its kind, and billing's sentence; or the key
  /// of a tariff's rule with place and knot.
  public static Map<String, String> attributes(PeerRefusedException refused) {
    if (!RULES.contains(refused.rule())) {
      return Map.of("refusedAs", key(refused), "refusal", refused.detail());
    }
    boolean hasKnot = refused.knot() != PeerRefusedException.NO_KNOT;
    return Map.of(
        "refusedAs",
        "refusal.rule." + refused.rule(),
        "refusedPlace",
        refused.place(),
        "refusedKnot",
        hasKnot ? Integer.toString(refused.knot() + 1) : "");
  }
}
