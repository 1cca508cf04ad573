package io.viaduct.billing.rest;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Search of an operator in the list of accounts, and its order.
///
/// @param search beginning of a name, or beginnings of words of the name for people; empty for all
/// @param which accounts that stand out in some way; null for all
record AccountFilter(String search, @Nullable Which which, Order order) {
  private static final int SEARCH_MAX = 64;
  private static final Pattern NOT_OF_A_WORD = Pattern.compile("[^\\p{L}\\p{N}]+");

  /// Ways in which accounts stand out, each with its condition.
  enum Which {
    ACTIVE("a.state = 'active'"),
    SUSPENDED("a.state = 'suspended'"),
    CLOSED("a.state = 'closed'"),
    BLOCKED("c.blocked"),
    // Operators' own accounts need no credit.
    LOW("a.role = 'user' and c.state = 'LOW'"),
    EXHAUSTED("a.role = 'user' and c.state = 'EXHAUSTED'"),
    BELOW_ZERO("a.role = 'user' and c.balance_microdenarii < 0"),
    CUT("c.account in (select q.account from credit_quota q where q.cut)");

    private final String condition;

    Which(String condition) {
      this.condition = condition;
    }

    String condition() {
      return condition;
    }
  }

  /// Orders of the list, each with the number that comes before the name in it, ascending.
  enum Order {
    ID("0"),
    BALANCE("c.balance_microdenarii"),
    HIGHEST_BALANCE("-c.balance_microdenarii"),
    SPENT_TODAY("-coalesce(t.spent_microdenarii, 0)");

    private final String key;

    Order(String key) {
      this.key = key;
    }

    String key() {
      return key;
    }
  }

  /// Reads query parameters.
  ///
  /// @throws ProblemException naming the parameter, the value and the rule
  static AccountFilter of(String search, String state, String sort) {
    return new AccountFilter(
        PlainText.require("search", search.strip(), SEARCH_MAX),
        ChargeFilter.choice("state", state, Which.values(), AccountFilter::written),
        order(sort));
  }

  private static Order order(String sort) {
    Order order = ChargeFilter.choice("sort", sort, Order.values(), AccountFilter::written);
    return order == null ? Order.ID : order;
  }

  private static String written(Enum<?> word) {
    return word.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Returns true if the filter needs the table of accounts, beside that of their credit.
  boolean needsAccount() {
    return !search.isEmpty() || which != null && which.condition().startsWith("a.");
  }

  /// Returns the words of the search as a text search query; empty if it has no word.
  String words() {
    return Arrays.stream(NOT_OF_A_WORD.split(search))
        .filter(word -> !word.isEmpty())
        .map(word -> "'" + word + "':*")
        .collect(Collectors.joining(" & "));
  }

  /// Returns what is looked for in one canonical spelling, which cursors are bound to.
  String scope() {
    return String.join(
        "\n", List.of("accounts", search, which == null ? "" : which.name(), order.name()));
  }
}
