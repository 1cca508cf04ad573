package io.viaduct.service.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.util.DefaultJoranConfigurator;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;

/// Until a process has read its configuration ([ProcessLogging]), only what went wrong is worth a
/// line, on standard error. Found by Logback as a service, because reading the same from a file
/// loads an XML parser and some 400 classes at every start; a file that somebody names or adds goes
/// first.
public final class EarlyLogging extends ContextAwareBase implements Configurator {
  /// For Logback.
  public EarlyLogging() {}

  @Override
  public ExecutionStatus configure(LoggerContext loggers) {
    var files = new DefaultJoranConfigurator();
    files.setContext(loggers);
    if (files.findURLOfDefaultConfigurationFile(false) != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    onlyWarnings(loggers);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  static void onlyWarnings(LoggerContext loggers) {
    ProcessLogging.point(loggers, ConsoleTarget.SystemErr, new TextLineEncoder(), Level.WARN);
  }
}
