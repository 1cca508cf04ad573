package io.viaduct.snapt;

import io.viaduct.snapt.napt.Prefix;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/// A configuration as the process understood it, in the form of its file. Keys and certificates are
/// files, so nothing in it is secret.
final class EffectiveConfiguration {
  private EffectiveConfiguration() {}

  /// One line per key, nested as in YAML.
  static String of(Record configuration) {
    StringBuilder text = new StringBuilder();
    append(configuration, "", text);
    return text.toString();
  }

  private static void append(Record record, String indent, StringBuilder text) {
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      text.append(indent).append(kebab(component.getName())).append(':');
      append(value(record, component), indent, text);
    }
  }

  private static void append(Object value, String indent, StringBuilder text) {
    switch (value) {
      // The prefixes are records to us and one word to the operator.
      case Prefix prefix -> text.append(' ').append(prefix).append('\n');
      case Record nested -> {
        text.append('\n');
        append(nested, indent + "  ", text);
      }
      case List<?> list when list.isEmpty() -> text.append(" []\n");
      case List<?> list -> {
        text.append('\n');
        for (Object item : list) {
          text.append(indent).append("  - ").append(item).append('\n');
        }
      }
      case Duration duration -> text.append(' ').append(duration.toMillis()).append("ms\n");
      case Enum<?> constant ->
          text.append(' ').append(constant.name().toLowerCase(Locale.ROOT)).append('\n');
      default -> text.append(' ').append(value).append('\n');
    }
  }

  private static Object value(Record record, RecordComponent component) {
    try {
      return component.getAccessor().invoke(record);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw new IllegalStateException(component + " cannot be read", e);
    }
  }

  private static String kebab(String name) {
    return name.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
  }
}
