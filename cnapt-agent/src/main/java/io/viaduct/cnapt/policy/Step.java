package io.viaduct.cnapt.policy;

import io.viaduct.cnapt.links.LinkPattern;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// One method of a rule, and the time or condition from which it applies.
///
/// @param link the link of [Method#OWN]; empty for all other methods
/// @param after age of the flow from which the step applies
/// @param whenFull true if the step applies only while one path is not enough for the flow
public record Step(Method method, Optional<LinkPattern> link, Duration after, boolean whenFull) {
  private static final Pattern OWN = Pattern.compile("own (\\S+)");
  private static final Pattern LATER = Pattern.compile("(.+?) after (\\S.*)");
  private static final Pattern FULL = Pattern.compile("(.+?) when full");
  private static final Pattern TIME = Pattern.compile("(\\d{1,6}) ?(ms|s|min)");

  static Step first(String text) {
    return step(text, Duration.ZERO, false);
  }

  static Step later(String text) {
    Matcher full = FULL.matcher(text);
    if (full.matches()) {
      return step(full.group(1), Duration.ZERO, true);
    }
    Matcher later = LATER.matcher(text);
    if (later.matches()) {
      return step(later.group(1), time(later.group(2)), false);
    }
    throw new IllegalArgumentException(
        "the words behind 'then' must be METHOD after T s, or METHOD when full, got '"
            + text
            + "'");
  }

  private static Step step(String text, Duration after, boolean whenFull) {
    Matcher own = OWN.matcher(text);
    if (own.matches()) {
      return new Step(Method.OWN, Optional.of(LinkPattern.of(own.group(1))), after, whenFull);
    }
    Method method =
        Method.named(text)
            .filter(each -> each != Method.OWN)
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "method must be one of " + Method.names() + ", got '" + text + "'"));
    return new Step(method, Optional.empty(), after, whenFull);
  }

  private static Duration time(String text) {
    Matcher time = TIME.matcher(text);
    if (!time.matches()) {
      throw new IllegalArgumentException(
          "the time behind 'after' must be such as 5 s, 500 ms or 2 min, got '" + text + "'");
    }
    long number = Long.parseLong(time.group(1));
    return switch (time.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      default -> Duration.ofMinutes(number);
    };
  }

  /// Returns the method with its link.
  public String described() {
    return link.map(pattern -> method + " " + pattern).orElse(method.toString());
  }

  @Override
  public String toString() {
    if (whenFull) {
      return described() + " when full";
    }
    return after.isZero() ? described() : described() + " after " + after.toMillis() + " ms";
  }
}
