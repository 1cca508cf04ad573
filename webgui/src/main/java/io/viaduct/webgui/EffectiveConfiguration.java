package io.viaduct.webgui;

import io.viaduct.service.configuration.Secret;
import java.io.PrintWriter;
import java.time.Duration;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/// Prints a configuration as it will be used: defaults filled in, secrets as the name of their
/// file.
final class EffectiveConfiguration {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
          .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
          .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
          .addModule(
              new SimpleModule()
                  .addSerializer(Secret.class, ToStringSerializer.instance)
                  .addSerializer(Duration.class, ToStringSerializer.instance))
          .build();

  private EffectiveConfiguration() {}

  static void print(Record configuration, PrintWriter out) {
    out.print(YAML.writeValueAsString(configuration));
    out.flush();
  }
}
