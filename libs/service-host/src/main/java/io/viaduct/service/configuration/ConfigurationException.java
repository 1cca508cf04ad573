package io.viaduct.service.configuration;

/// Thrown if a configuration is not valid. The message names file, key, value and rule, and is
/// written for operators. The process ends with exit code 78 (EX_CONFIG of sysexits.h).
public final class ConfigurationException extends RuntimeException {
  /// Exit code of a process that refuses its configuration.
  public static final int EXIT_CODE = 78;

  private static final long serialVersionUID = 1L;

  /// @param message names file, key, value and rule
  public ConfigurationException(String message) {
    super(message);
  }
}
