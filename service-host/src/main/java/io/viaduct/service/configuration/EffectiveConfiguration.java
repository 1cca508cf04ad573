package io.viaduct.service.configuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/// A configuration as the process understood it, in the form of its file: defaults filled in, each
/// secret as the name of its file.
public final class EffectiveConfiguration {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .annotationIntrospector(new OneWord())
          .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
          .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
          .addModule(
              new SimpleModule()
                  .addSerializer(new SecretFile())
                  .addSerializer(Path.class, ToStringSerializer.instance)
                  .addSerializer(Duration.class, ToStringSerializer.instance)
                  .addSerializer(new Words()))
          .build();

  private EffectiveConfiguration() {}

  /// YAML, one line per key.
  public static String of(Record configuration) {
    return YAML.writeValueAsString(configuration);
  }

  /// A secret stands in the file as the name of its own file, so that what is printed can be
  /// loaded.
  private static final class SecretFile extends StdSerializer<Secret> {
    private SecretFile() {
      super(Secret.class);
    }

    @Override
    public void serialize(Secret value, JsonGenerator to, SerializationContext context) {
      to.writeString(value.file().toString());
    }
  }

  /// Words of the file are small and hyphenated, so that what is printed can be loaded.
  @SuppressWarnings("rawtypes") // the type of a serializer is a class literal
  private static final class Words extends StdSerializer<Enum> {
    private Words() {
      super(Enum.class);
    }

    @Override
    public void serialize(Enum value, JsonGenerator to, SerializationContext context) {
      to.writeString(value.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    }
  }
}
