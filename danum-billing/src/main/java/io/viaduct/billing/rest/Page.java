package io.viaduct.billing.rest;

import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/// One page of a list, and the cursor of the next page.
///
/// @param items at most as many as the limit
/// @param next cursor of the next page; null on the last page
record Page<T>(List<T> items, @Nullable String next) {
  static final int LIMIT_MAX = 500;

  static final String CURSOR_RULE = "cursor must be the 'next' of an earlier page, or be left out";

  private static final int FILTER_MAX = 128;

  static int limit(int requested) {
    if (requested < 1 || requested > LIMIT_MAX) {
      throw ProblemException.invalid("limit must be 1 to " + LIMIT_MAX + ", got " + requested);
    }
    return requested;
  }

  /// Reads a cursor that is the id of the last row of the page before. Ids descend from page to
  /// page.
  private static long before(@Nullable String cursor) {
    if (cursor == null || cursor.isEmpty()) {
      return Long.MAX_VALUE;
    }
    if (!cursor.matches("[0-9]{1,18}")) {
      throw ProblemException.invalid(CURSOR_RULE);
    }
    return Long.parseLong(cursor);
  }

  /// Checks a filter parameter; an empty one selects everything.
  static String filter(String name, String word) {
    return PlainText.require(name, word, FILTER_MAX);
  }

  /// Reads a filter that is one of some words, in either case; an empty one stays empty.
  ///
  /// @param words in capitals
  static String word(String name, String given, List<String> words) {
    String upper = given.toUpperCase(Locale.ROOT);
    if (!given.isEmpty() && !words.contains(upper)) {
      throw ProblemException.invalid(
          name
              + " must be one of "
              + words
              + ", got '"
              + PlainText.require(name, given, FILTER_MAX)
              + "'");
    }
    return upper;
  }

  /// Reads a page of numbered rows, latest first.
  ///
  /// @param scope list and account, which the cursor is bound to
  /// @param cursor `next` of the previous page; empty for the first page
  /// @param rows returns at most as many rows as its second argument, all with numbers below its
  ///   first argument
  static <T> Page<T> latestFirst(
      String scope,
      String cursor,
      int limit,
      BiFunction<Long, Integer, List<T>> rows,
      ToLongFunction<T> number) {
    long[] seen = Cursor.key(scope, 1, cursor);
    return of(
        rows.apply(seen == null ? Long.MAX_VALUE : seen[0], limit(limit) + 1),
        limit,
        last -> Cursor.after(scope, number.applyAsLong(last)));
  }

  /// Reads a page of numbered versions, oldest first.
  ///
  /// @param scope list, which the cursor is bound to
  /// @param all all of them, by ascending number
  static <T> Page<T> oldestFirst(
      String scope, String cursor, int limit, List<T> all, ToLongFunction<T> number) {
    long[] seen = Cursor.key(scope, 1, cursor);
    long after = seen == null ? 0 : seen[0];
    return of(
        all.stream()
            .filter(one -> number.applyAsLong(one) > after)
            .limit(limit(limit) + 1L)
            .toList(),
        limit,
        last -> Cursor.after(scope, number.applyAsLong(last)));
  }

  /// Reads a page of a list for operators, latest first. Its cursor is the number of the last row.
  ///
  /// @param rows returns at most as many rows as its second argument, all with numbers below its
  ///   first argument
  static <T> Page<T> byNumber(
      @Nullable String cursor,
      int limit,
      BiFunction<Long, Integer, List<T>> rows,
      ToLongFunction<T> number) {
    return of(
        rows.apply(before(cursor), limit(limit) + 1),
        limit,
        last -> Long.toString(number.applyAsLong(last)));
  }

  /// Returns this page with each item converted.
  <V> Page<V> as(Function<T, V> view) {
    return new Page<>(items.stream().map(view).toList(), next);
  }

  /// Makes a page of rows that were read with one row more than the limit.
  static <T> Page<T> of(List<T> rows, int limit, Function<T, String> cursor) {
    return rows.size() <= limit
        ? new Page<>(rows, null)
        : new Page<>(rows.subList(0, limit), cursor.apply(rows.get(limit - 1)));
  }
}
