package io.viaduct.service.configuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/// Writes the effective configuration of a process in the form of its file, with the defaults
/// filled in. A secret is shown as the name of its file.
public final class EffectiveConfiguration {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .annotationIntrospector(new SingleValue())
          .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
          .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
          .addModule(
              new SimpleModule()
                  .addSerializer(new SecretFile())
                  .addSerializer(Path.class, ToStringSerializer.instance)
                  .addSerializer(Duration.class, ToStringSerializer.instance)
                  .addSerializer(new EnumConstants()))
          .build();

  private EffectiveConfiguration() {}

  /// Returns a configuration as YAML, one line per key.
  public static String of(Record configuration) {
    return YAML.writeValueAsString(configuration);
  }

  /// Returns a configuration as YAML, after one comment per key that an environment variable sets.
  ///
  /// @param environment the variables given to [ConfigurationFile#load]
  public static String of(Record configuration, Map<String, String> environment) {
    StringBuilder text = new StringBuilder();
    new ConfigurationEnvironment(environment)
        .keys()
        .forEach((variable, key) ->
            text.append("# ")
                .append(key)
                .append(": from the environment, ")
                .append(variable)
                .append('\n'));
    return text.append(of(configuration)).toString();
  }

  /// Returns a configuration as a tree, for comparisons.
  static JsonNode tree(Record configuration) {
    return YAML.valueToTree(configuration);
  }

  /// Writes a secret as the name of its file, so that the output can be loaded.
  private static final class SecretFile extends StdSerializer<Secret> {
    private SecretFile() {
      super(Secret.class);
    }

    @Override
    public void serialize(Secret value, JsonGenerator to, SerializationContext context) {
      to.writeString(value.file().toString());
    }
  }

  /// Writes enum constants in lower case with hyphens, so that the output can be loaded.
  @SuppressWarnings("rawtypes") // the type of a serializer is a class literal
  private static final class EnumConstants extends StdSerializer<Enum> {
    private EnumConstants() {
      super(Enum.class);
    }

    @Override
    public void serialize(Enum value, JsonGenerator to, SerializationContext context) {
      to.writeString(value.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
  }
}
