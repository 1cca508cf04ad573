package io.viaduct.service.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.util.DefaultJoranConfigurator;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import ch.qos.logback.core.spi.ContextAwareBase;

/// Configures logging until a process has read its configuration ([ProcessLogging]): warnings and
/// errors only, on standard error. Logback finds this class as a service. A configuration file
/// would do the same, but loads an XML parser and about 400 classes at every start. If there is
/// such a file, it is used instead.
public final class EarlyLogging extends ContextAwareBase implements Configurator {
  /// Called by Logback.
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
    ProcessLogging.addConsole(loggers, ConsoleTarget.SystemErr, new TextLineEncoder(), Level.WARN);
  }
}
