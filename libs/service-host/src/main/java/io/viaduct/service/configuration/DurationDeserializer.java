package io.viaduct.service.configuration;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;

/// Reads `200ms`, `10s`, `5m`, `24h` or ISO-8601. A bare number is refused, because it has no unit.
final class DurationDeserializer extends StdDeserializer<Duration> {
  /// The expected form, as a message shows it.
  static final String FORM = "a duration with its unit, such as 200ms, 10s, 5m";

  private static final Pattern SHORT = Pattern.compile("(\\d{1,12})(us|ms|s|m|h)");

  DurationDeserializer() {
    super(Duration.class);
  }

  @Override
  public Duration deserialize(JsonParser parser, DeserializationContext context) {
    String text = parser.getString().strip().toLowerCase(Locale.ROOT);
    Matcher matcher = SHORT.matcher(text);
    if (matcher.matches()) {
      long amount = Long.parseLong(matcher.group(1));
      return switch (matcher.group(2)) {
        case "us" -> Duration.ofNanos(amount * 1000);
        case "ms" -> Duration.ofMillis(amount);
        case "s" -> Duration.ofSeconds(amount);
        case "m" -> Duration.ofMinutes(amount);
        default -> Duration.ofHours(amount);
      };
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException e) {
      return (Duration) context.handleWeirdStringValue(Duration.class, text, "must be " + FORM);
    }
  }
}
