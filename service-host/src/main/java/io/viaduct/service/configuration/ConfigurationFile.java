package io.viaduct.service.configuration;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// Loads the configuration of one process: the module's own `<record>.yml` (every key that has a
/// default, with its reason), overlaid by the operator's file, bound to one record whose compact
/// constructors hold the rules.
///
/// Keys are kebab-case. An unknown key, a missing one, a bad value: each is a
/// [ConfigurationException] that names file, key, value and rule. Durations are written `200ms`,
/// `10s`, `5m`, `24h` or ISO-8601.
public final class ConfigurationFile {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .addModule(new SimpleModule().addDeserializer(Duration.class, new DurationDeserializer()))
          .build();

  private ConfigurationFile() {}

  /// Binds a file to a record.
  ///
  /// @param file the operator's YAML file
  /// @param type the record; its defaults are the resource `<simple name>.yml` beside it
  /// @throws ConfigurationException naming file, key, value and rule
  public static <T extends Record> T load(Path file, Class<T> type) {
    return bind(file.toString(), overlay(defaultsOf(type), read(file)), type);
  }

  /// Binds the defaults alone, where no operator's file is needed.
  ///
  /// @throws ConfigurationException if a key has no default
  public static <T extends Record> T defaults(Class<T> type) {
    return bind(type.getSimpleName() + ".yml", defaultsOf(type), type);
  }

  private static <T extends Record> T bind(String where, JsonNode tree, Class<T> type) {
    try {
      return YAML.treeToValue(tree, type);
    } catch (JacksonException e) {
      throw new ConfigurationException(where + ": " + describe(e, tree));
    }
  }

  private static JsonNode defaultsOf(Class<?> type) {
    try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".yml")) {
      return in == null ? YAML.createObjectNode() : YAML.readTree(in);
    } catch (IOException e) {
      throw new IllegalStateException("defaults of " + type, e);
    }
  }

  private static JsonNode read(Path file) {
    try {
      JsonNode tree = YAML.readTree(Files.readString(file));
      if (tree.isMissingNode() || tree.isNull()) {
        return YAML.createObjectNode();
      }
      if (!tree.isObject()) {
        throw new ConfigurationException(file + ": must be a YAML mapping of keys to values");
      }
      return tree;
    } catch (IOException e) {
      throw new ConfigurationException(file + ": cannot be read: " + e);
    } catch (JacksonException e) {
      throw new ConfigurationException(file + ": is not YAML: " + oneLine(e.getOriginalMessage()));
    }
  }

  private static JsonNode overlay(JsonNode base, JsonNode over) {
    if (base instanceof ObjectNode object && over.isObject()) {
      over.properties()
          .forEach(entry -> {
            JsonNode below = object.get(entry.getKey());
            object.set(
                entry.getKey(),
                below == null ? entry.getValue() : overlay(below, entry.getValue()));
          });
      return object;
    }
    return over;
  }

  private static String oneLine(String parserMessage) {
    return parserMessage
        .lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.equals("^"))
        .collect(Collectors.joining(", "));
  }

  private static String describe(JacksonException e, JsonNode tree) {
    String key =
        e.getPath().stream()
            .map(step ->
                step.getPropertyName() == null
                    ? "[" + step.getIndex() + "]"
                    : step.getPropertyName())
            .collect(Collectors.joining("."))
            .replace(".[", "[");
    if (e instanceof UnrecognizedPropertyException unknown) {
      return "unknown key '%s'; known keys there: %s"
          .formatted(
              key,
              unknown.getKnownPropertyIds().stream()
                  .map(Object::toString)
                  .sorted()
                  .collect(Collectors.joining(", ")));
    }
    Throwable cause = e.getCause();
    String rule =
        cause instanceof IllegalArgumentException && cause.getMessage() != null
            ? cause.getMessage()
            : e instanceof DatabindException ? e.getOriginalMessage() : e.toString();
    JsonNode value = tree.at("/" + key.replace('.', '/').replaceAll("\\[(\\d+)]", "/$1"));
    if (e instanceof MismatchedInputException && cause == null && value.isMissingNode()) {
      return "key '" + key + "': must be given, it has no default";
    }
    return (key.isEmpty() ? "" : "key '" + key + "': ")
        + (value.isValueNode() && !value.isMissingNode()
            ? "value '" + value.asString() + "': "
            : "")
        + rule;
  }
}
