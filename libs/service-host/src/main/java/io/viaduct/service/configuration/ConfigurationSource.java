package io.viaduct.service.configuration;

import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;

/// The source of one process's configuration, and the checks before its use. The same source serves
/// the start, the command `check` and every reload.
///
/// @param file the operator's YAML file
/// @param type record that the file is bound to
/// @param environment variables that override the file
/// @param examination checks the files that the configuration names; it throws a
///   [ConfigurationException]
public record ConfigurationSource<T extends Record>(
    Path file, Class<T> type, Map<String, String> environment, Consumer<T> examination) {
  /// Returns the source of a file and the variables of this process.
  public static <T extends Record> ConfigurationSource<T> of(
      Path file, Class<T> type, Consumer<T> examination) {
    return new ConfigurationSource<>(file, type, System.getenv(), examination);
  }

  /// Reads the file and the variables again, without a check of the files that they name.
  ///
  /// @throws ConfigurationException naming file or variable, key, value and rule
  public T read() {
    return ConfigurationFile.load(file, type, environment);
  }

  /// Reads the file and the variables again, and checks the files that they name.
  ///
  /// @throws ConfigurationException naming file or variable, key, value and rule
  public T load() {
    T configuration = read();
    examination.accept(configuration);
    return configuration;
  }

  /// Returns the output of `check`: the effective configuration as YAML that can be loaded, with a
  /// comment for each key that an environment variable sets.
  ///
  /// @throws ConfigurationException naming file or variable, key, value and rule
  public String effective() {
    return EffectiveConfiguration.of(load(), environment);
  }

  /// Names the file and the variables, without values, because a value may be secret.
  @Override
  public String toString() {
    return file + " and " + new ConfigurationEnvironment(environment).keys().keySet();
  }
}
