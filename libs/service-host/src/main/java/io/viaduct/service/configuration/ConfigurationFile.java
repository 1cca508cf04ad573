package io.viaduct.service.configuration;

import com.fasterxml.jackson.annotation.Nulls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// Loads the configuration of one process. The module's `<record>.yml` holds the defaults and their
/// reasons; the operator's file overrides them. The result is bound to one record, whose compact
/// constructors check the rules.
///
/// Environment variables override the file ([ConfigurationEnvironment]). File names are relative to
/// the file, also those in variables, because a variable replaces a line of the file.
///
/// Keys are kebab-case. A key of type `Optional` may be left out. One [ConfigurationException]
/// reports all unknown keys, missing keys and invalid values, each with key, value and rule; a key
/// given twice is reported first. Durations are written `200ms`, `10s`, `5m`, `24h` or ISO-8601.
public final class ConfigurationFile {
  /// Longest file that is read. The project's largest, with ten thousand subscribers, has a tenth
  /// of this.
  static final int BYTES_MAX = 16 * 1024 * 1024;

  private static final Pattern DUPLICATE_KEY =
      Pattern.compile("^Duplicate Object property \"(.*?)\"");
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .annotationIntrospector(new SingleValue())
          .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .changeDefaultNullHandling(nulls -> nulls.withContentNulls(Nulls.FAIL))
          .addModule(
              new SimpleModule()
                  .addDeserializer(Duration.class, new DurationDeserializer())
                  .setValueInstantiators(new RecordConstruction()))
          .build();

  private ConfigurationFile() {}

  /// Binds a file to a record, without environment variables.
  ///
  /// @param file the operator's YAML file
  /// @param type the record; its defaults are the resource `<simple name>.yml` beside it
  /// @throws ConfigurationException naming file, key, value and rule
  public static <T extends Record> T load(Path file, Class<T> type) {
    return load(file, type, Map.of());
  }

  /// Binds a process's file and its environment variables to a record.
  ///
  /// @param environment environment variables; those without the prefix `VIADUCT_CONFIG_` are
  ///   ignored
  /// @throws ConfigurationException naming file or variable, key, value and rule
  public static <T extends Record> T load(
      Path file, Class<T> type, Map<String, String> environment) {
    ConfigurationEnvironment variables = new ConfigurationEnvironment(environment);
    JsonNode given = overlay(read(file), variables.tree(YAML, type));
    RelativePaths.resolve(YAML, file, given, type);
    return bind(file.toString(), overlay(defaultsOf(type), given), type, variables);
  }

  /// Binds the defaults alone, for a configuration that needs no operator's file.
  ///
  /// @throws ConfigurationException if a key has no default
  public static <T extends Record> T defaults(Class<T> type) {
    return bind(
        type.getSimpleName() + ".yml",
        defaultsOf(type),
        type,
        new ConfigurationEnvironment(Map.of()));
  }

  private static <T extends Record> T bind(
      String where, JsonNode tree, Class<T> type, ConfigurationEnvironment variables) {
    OptionalKeys.fill(YAML, tree, YAML.constructType(type));
    try {
      return YAML.treeToValue(tree, type);
    } catch (JacksonException e) {
      List<String> refusals = Refusals.of(YAML, tree, type);
      String message =
          refusals.isEmpty()
              ? e.getOriginalMessage()
              : refusals.stream().map(variables::blame).collect(Collectors.joining("; "));
      throw new ConfigurationException(where + ": " + message);
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
      JsonNode tree = YAML.readTree(text(file));
      if (tree.isMissingNode() || tree.isNull()) {
        return YAML.createObjectNode();
      }
      if (!tree.isObject()) {
        throw new ConfigurationException(file + ": must be a YAML mapping of keys to values");
      }
      return tree;
    } catch (IOException e) {
      throw new ConfigurationException(file + ": " + Unreadable.why(file, e));
    } catch (JacksonException e) {
      throw new ConfigurationException(file + ": " + syntaxError(e));
    }
  }

  // Not Files.readString: it would read a file of any size, or a device without end, into memory.
  private static String text(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(BYTES_MAX + 1);
      if (bytes.length > BYTES_MAX) {
        throw new ConfigurationException(
            file + ": must be a YAML file of at most " + BYTES_MAX + " bytes, is longer");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }
  }

  private static JsonNode overlay(JsonNode base, JsonNode overrides) {
    if (base instanceof ObjectNode object && overrides.isObject()) {
      overrides
          .properties()
          .forEach(entry -> {
            JsonNode below = object.get(entry.getKey());
            object.set(
                entry.getKey(),
                below == null ? entry.getValue() : overlay(below, entry.getValue()));
          });
      return object;
    }
    return overrides;
  }

  private static String syntaxError(JacksonException e) {
    Matcher duplicate = DUPLICATE_KEY.matcher(e.getOriginalMessage());
    if (duplicate.find()) {
      return "line %d: key '%s' is given twice: keep one"
          .formatted(e.getLocation().getLineNr(), duplicate.group(1));
    }
    return "is not YAML: "
        + e.getOriginalMessage()
            .lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty() && !line.equals("^"))
            .collect(Collectors.joining(", "));
  }
}
