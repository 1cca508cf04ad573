package io.viaduct.billing.rest;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// One page of a list, and the cursor of the next.
///
/// @param items at most the limit
/// @param next where the next page begins; null on the last one
record Page<T>(List<T> items, @Nullable String next) {
  static final int LIMIT_MAX = 500;

  static final String CURSOR_RULE = "cursor must be the 'next' of an earlier page, or be left out";

  private static final int FILTER_MAX = 128;

  static int limit(int asked) {
    if (asked < 1 || asked > LIMIT_MAX) {
      throw ProblemException.invalid("limit must be 1 to " + LIMIT_MAX + ", got " + asked);
    }
    return asked;
  }

  /// A cursor that is the id of the last row seen, counting down.
  static long before(@Nullable String cursor) {
    if (cursor == null || cursor.isEmpty()) {
      return Long.MAX_VALUE;
    }
    if (!cursor.matches("[0-9]{1,18}")) {
      throw ProblemException.invalid(CURSOR_RULE);
    }
    return Long.parseLong(cursor);
  }

  /// A word that a list is filtered by; empty for all.
  static String filter(String name, String word) {
    return PlainText.require(name, word, FILTER_MAX);
  }

  /// Cuts a list that was asked for with one row more than the limit.
  static <T> Page<T> of(List<T> rows, int limit, Function<T, String> cursor) {
    return rows.size() <= limit
        ? new Page<>(rows, null)
        : new Page<>(rows.subList(0, limit), cursor.apply(rows.get(limit - 1)));
  }
}
