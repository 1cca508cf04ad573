package io.viaduct.service.logging;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/// The configuration keys `logging: {format: text|json, level: info}`.
///
/// @param format format of an event on standard output
/// @param level the least severe event that is written
public record LoggingSettings(Format format, Level level) {
  /// The format of an event.
  public enum Format {
    /// One readable line.
    TEXT,
    /// One JSON object per line.
    JSON;

    @JsonCreator
    static Format of(String text) {
      return parse(Format.class, "logging format", text);
    }
  }

  /// Severity, as SLF4J names it.
  public enum Level {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE;

    @JsonCreator
    static Level of(String text) {
      return parse(Level.class, "logging level", text);
    }
  }

  private static <E extends Enum<E>> E parse(Class<E> type, String what, String text) {
    for (E value : type.getEnumConstants()) {
      if (value.name().equals(text.toUpperCase(Locale.ROOT))) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        what
            + " must be one of "
            + Arrays.stream(type.getEnumConstants())
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "))
            + ", got '"
            + text
            + "'");
  }
}
