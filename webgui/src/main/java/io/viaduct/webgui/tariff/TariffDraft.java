package io.viaduct.webgui.tariff;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// A tariff that its operator works on.
///
/// @param basedOn version that it began as
/// @param tariff what was written so far; null in a list
public record TariffDraft(
    String id,
    @Nullable String name,
    @Nullable Integer basedOn,
    @Nullable Instant changedAt,
    @Nullable JsonNode tariff) {
  public TariffDraft {
    Objects.requireNonNull(id);
  }

  /// Returns the document.
  ///
  /// @throws IllegalStateException if this draft is one of a list
  JsonNode document() {
    if (tariff == null) {
      throw new IllegalStateException("a draft of a list has no document");
    }
    return tariff;
  }

  record All(List<TariffDraft> drafts) {}
}
