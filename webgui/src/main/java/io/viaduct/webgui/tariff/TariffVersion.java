package io.viaduct.webgui.tariff;

import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// A version of the tariff.
///
/// @param validUntil null without an end
/// @param state `past`, `in-force`, `scheduled` or `superseded`
/// @param tariff the document
public record TariffVersion(
    int version,
    @Nullable Instant effectiveFrom,
    @Nullable Instant validUntil,
    @Nullable String state,
    @Nullable String createdBy,
    JsonNode tariff) {
  private static final Set<String> STATES = Set.of("past", "in-force", "scheduled", "superseded");

  public TariffVersion {
    Objects.requireNonNull(tariff);
  }

  /// The state; `past` if billing says something that we do not know.
  public String knownState() {
    return state != null && STATES.contains(state) ? state : "past";
  }

  public boolean isInForce() {
    return "in-force".equals(state);
  }
}
