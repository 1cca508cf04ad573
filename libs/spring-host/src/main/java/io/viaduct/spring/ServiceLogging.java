package io.viaduct.spring;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.viaduct.service.logging.LoggingSettings;
import io.viaduct.service.logging.ProcessLogging;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// Sets up the logs of a process with Spring Boot. Its libraries log each step of their start; the
/// service itself logs once when it is ready. So at level INFO the libraries log warnings only.
public final class ServiceLogging {
  private static final List<String> TALKATIVE =
      List.of("org.apache", "org.springframework", "org.flywaydb", "org.hibernate", "com.zaxxer");

  /// Loggers whose events the service reports itself: requests of strangers, which are answered and
  /// counted, and a failed start, which ends the process with one line.
  private static final List<String> SILENT =
      List.of(
          "org.springframework.web.servlet.PageNotFound",
          "org.springframework.boot.SpringApplication",
          "org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter",
          "io.zonky");

  private ServiceLogging() {}

  /// Configures format and level. Called once, before Spring starts.
  public static void configure(LoggingSettings settings) {
    ProcessLogging.configure(settings);
    SILENT.forEach(name -> level(name, Level.OFF));
    level(settings.level());
  }

  /// Changes the level of the service and of its libraries.
  public static void level(LoggingSettings.Level level) {
    ProcessLogging.level(level);
    boolean quiet = level.compareTo(LoggingSettings.Level.INFO) <= 0;
    TALKATIVE.forEach(name -> level(name, quiet ? Level.WARN : null));
  }

  private static void level(String logger, @Nullable Level level) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.getLogger(logger).setLevel(level);
    }
  }
}
