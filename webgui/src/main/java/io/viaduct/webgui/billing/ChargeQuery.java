package io.viaduct.webgui.billing;

import org.jspecify.annotations.Nullable;

/// Which charges: the newest `limit` after the cursor, of one application or SNAPT if named.
public record ChargeQuery(
    int limit, @Nullable String cursor, @Nullable String application, @Nullable String snapt) {

  /// The newest charges.
  public static ChargeQuery newest(int limit) {
    return new ChargeQuery(limit, null, null, null);
  }

  /// True if this is the first page of all charges, the one that new charges belong to.
  public boolean isNewest() {
    return blank(cursor) && blank(application) && blank(snapt);
  }

  private static boolean blank(@Nullable String text) {
    return text == null || text.isBlank();
  }
}
