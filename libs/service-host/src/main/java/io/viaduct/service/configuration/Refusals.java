package io.viaduct.service.configuration;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// Finds all problems of a tree that is to be bound to a record, so that the operator can correct
/// them together. The messages use the keys of the file. The rule of a record is checked only if
/// all its keys are valid.
public final class Refusals {
  private final ObjectMapper mapper;
  private final List<String> problems = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();

  private Refusals(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /// Returns one message per problem, with key, value and rule; none if the tree can be bound.
  ///
  /// @param mapper mapper that binds the tree; its keys are kebab-case
  public static List<String> of(ObjectMapper mapper, JsonNode tree, Class<? extends Record> type) {
    Refusals refusals = new Refusals(mapper);
    refusals.record(mapper.constructType(type), tree, "");
    List<String> found = new ArrayList<>(refusals.problems);
    if (!refusals.missing.isEmpty()) {
      found.add(missingMessage(refusals.missing));
    }
    return found;
  }

  private static String missingMessage(List<String> missing) {
    return missing.size() == 1
        ? "key '" + missing.getFirst() + "': must be given, it has no default"
        : "keys '" + String.join("', '", missing) + "': must be given, they have no default";
  }

  private int count() {
    return problems.size() + missing.size();
  }

  private void value(JavaType type, JsonNode node, String key) {
    boolean absent = node.isMissingNode() || node.isNull();
    if (type.isReferenceType() && !node.isMissingNode()) {
      if (!absent) {
        value(type.getContentType(), node, key);
      }
    } else if (isMappingOfKeys(type.getRawClass())) {
      record(type, absent ? mapper.createObjectNode() : node, key);
    } else if (absent) {
      missing.add(key);
    } else if (type.isCollectionLikeType() && node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        value(type.getContentType(), node.get(i), key + "[" + i + "]");
      }
    } else if (type.isMapLikeType() && node.isObject()) {
      known(type.getKeyType(), node, key);
      node.properties()
          .forEach(e -> value(type.getContentType(), e.getValue(), path(key, e.getKey())));
    } else {
      bindable(type, node, key);
    }
  }

  private void known(JavaType keyType, JsonNode node, String key) {
    if (keyType.isEnumType()) {
      List<String> words =
          Arrays.stream(keyType.getRawClass().getEnumConstants()).map(Object::toString).toList();
      for (String given : node.propertyNames()) {
        if (!words.contains(given)) {
          unknown(path(key, given), words);
        }
      }
    }
  }

  private void unknown(String key, Collection<String> known) {
    problems.add(
        "unknown key '%s'; known keys there: %s"
            .formatted(key, known.stream().sorted().collect(Collectors.joining(", "))));
  }

  private void record(JavaType type, JsonNode node, String key) {
    Map<String, RecordComponent> known = new LinkedHashMap<>();
    keys(type.getRawClass(), known);
    if (!node.isObject()) {
      refuse(key, node, "must be a mapping of " + String.join(", ", known.keySet()));
      return;
    }
    int before = count();
    for (String given : node.propertyNames()) {
      if (!known.containsKey(given)) {
        unknown(path(key, given), known.keySet());
      }
    }
    known.forEach((name, component) ->
        value(mapper.constructType(component.getGenericType()), node.path(name), path(key, name)));
    if (count() == before) {
      bindable(type, node, key);
    }
  }

  static void keys(Class<?> type, Map<String, RecordComponent> into) {
    for (RecordComponent component : type.getRecordComponents()) {
      if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        keys(component.getType(), into); // unwrapped: its keys are on the same level
      } else {
        into.put(kebab(component.getName()), component);
      }
    }
  }

  private void bindable(JavaType type, JsonNode node, String key) {
    try {
      mapper.treeToValue(node, type);
    } catch (JacksonException e) {
      Class<?> wanted = type.getRawClass();
      // Messages of the project's types state the rule; those of the JDK's types do not.
      boolean isOwnType = !wanted.getName().startsWith("java.") && !wanted.isPrimitive();
      String rule = isOwnType ? ruleOf(e) : null;
      refuse(key, node, rule == null ? expectation(type) : rule);
    }
  }

  private static @Nullable String ruleOf(Throwable e) {
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof IllegalArgumentException && cause.getMessage() != null) {
        return cause.getMessage();
      }
    }
    return null;
  }

  private void refuse(String key, JsonNode node, String rule) {
    String value = node.isValueNode() ? "'" + node.asString() + "'" : "";
    String shown = value.isEmpty() || rule.contains(value) ? "" : "value " + value + ": ";
    String kind = node.isArray() ? ", is a list" : "";
    problems.add((key.isEmpty() ? "" : "key '" + key + "': ") + shown + rule + kind);
  }

  private static String expectation(JavaType type) {
    Class<?> wanted = type.getRawClass();
    if (type.isCollectionLikeType()) {
      return "must be a list, such as [a, b]";
    } else if (type.isMapLikeType()) {
      return "must be a mapping, such as {a: b}";
    } else if (type.isEnumType()) {
      return "must be one of "
          + Arrays.stream(wanted.getEnumConstants())
              .map(word -> ((Enum<?>) word).name().toLowerCase(Locale.ROOT))
              .collect(Collectors.joining(", "));
    } else if (wanted == int.class || wanted == Integer.class) {
      return "must be a whole number of at most " + Integer.MAX_VALUE;
    } else if (wanted == long.class || wanted == Long.class) {
      return "must be a whole number of at most " + Long.MAX_VALUE;
    } else if (Number.class.isAssignableFrom(wanted) || wanted == double.class) {
      return "must be a number";
    } else if (wanted == boolean.class || wanted == Boolean.class) {
      return "must be true or false";
    } else if (wanted == Duration.class) {
      return "must be " + DurationDeserializer.FORM;
    } else if (wanted == URI.class) {
      return "must be an address such as http://host:port";
    } else if (wanted == Path.class) {
      return "must be the path of a file";
    }
    return "must be one value";
  }

  // A record with its own creator is read from a single value, such as a word or a number.
  private static boolean isMappingOfKeys(Class<?> type) {
    return type.isRecord() && !SingleValue.is(type);
  }

  static String kebab(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  private static String path(String key, String step) {
    return key.isEmpty() ? step : key + "." + step;
  }
}
