package io.viaduct.webgui.billing;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A query for charges: the newest `limit` after the cursor that fit every filter.
public record ChargeQuery(int limit, @Nullable String cursor, ChargeFilter filter) {

  /// The newest charges.
  public static ChargeQuery newest(int limit) {
    return new ChargeQuery(limit, null, ChargeFilter.NONE);
  }

  /// True if this is the first page of what the filter selects.
  public boolean isFirst() {
    return isBlank(cursor);
  }

  /// True if this is the first page of all charges, the one that new charges belong to.
  public boolean isNewest() {
    return isFirst() && !isFiltered();
  }

  /// True if some charges are left out.
  public boolean isFiltered() {
    return Stream.of(
            filter.from(),
            filter.to(),
            filter.serviceClass(),
            filter.state(),
            filter.application(),
            filter.snapt(),
            filter.device(),
            filter.link(),
            filter.passedBy())
        .anyMatch(part -> !isBlank(part));
  }

  private static boolean isBlank(@Nullable String text) {
    return Objects.requireNonNullElse(text, "").isBlank();
  }
}
