package io.viaduct.billing.rest;

import io.viaduct.billing.credit.PassRule;
import io.viaduct.billing.settlement.IntervalState;
import io.viaduct.billing.tariff.ServiceClass;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Selects charges of one account. A charge is selected if it matches every criterion that is
/// given.
///
/// @param start range in which the charge's interval began
/// @param serviceClass null for all
/// @param state null for all
/// @param application empty for all
/// @param snapt empty for all
/// @param device empty for all
/// @param link empty for all
/// @param passedBy null for all
record ChargeFilter(
    String account,
    TimeRange start,
    @Nullable ServiceClass serviceClass,
    @Nullable IntervalState state,
    String application,
    String snapt,
    String device,
    String link,
    @Nullable PassRule passedBy) {

  /// Reads query parameters. An empty parameter selects everything.
  static ChargeFilter of(
      String account,
      String from,
      String to,
      String serviceClass,
      String state,
      String application,
      String snapt,
      String device,
      String link,
      String passedBy) {
    return new ChargeFilter(
        account,
        TimeRange.of(from, to),
        choice("class", serviceClass, ServiceClass.values(), ServiceClass::name),
        choice("state", state, IntervalState.values(), IntervalState::word),
        Page.filter("application", application),
        Page.filter("snapt", snapt),
        Page.filter("device", device),
        Page.filter("link", link),
        choice("passedBy", passedBy, PassRule.values(), PassRule::word));
  }

  /// Reads a query parameter that has a fixed set of words; null if it is empty.
  ///
  /// @throws ProblemException naming the parameter, the value and the words
  static <E extends Enum<E>> @Nullable E choice(
      String name, String given, E[] values, Function<E, String> word) {
    if (given.isEmpty()) {
      return null;
    }
    return Arrays.stream(values)
        .filter(value -> word.apply(value).equals(given))
        .findFirst()
        .orElseThrow(() ->
            ProblemException.invalid(
                "%s must be one of %s, got '%s'"
                    .formatted(
                        name,
                        Arrays.stream(values).map(word).collect(Collectors.joining(", ")),
                        given.length() > 32 ? given.substring(0, 32) + "…" : given)));
  }

  /// Returns the filter in one canonical spelling. A cursor is valid only for the scope it was made
  /// for.
  String scope() {
    return "charges\n" + this;
  }
}
