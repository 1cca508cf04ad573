package io.viaduct.service.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/// Sends the events of all SLF4J loggers of this process to standard output, and those of
/// java.util.logging (Tomcat, gRPC) too. Call it right after the configuration was read. A later
/// call replaces the earlier settings.
public final class ProcessLogging {
  private ProcessLogging() {}

  /// @param settings format and level for the whole process
  public static void configure(LoggingSettings settings) {
    if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      throw new IllegalStateException(
          "SLF4J must be bound to Logback, is bound to "
              + LoggerFactory.getILoggerFactory().getClass().getName()
              + ": remove the other provider from the class path");
    }
    context.reset();
    boolean json = settings.format() == LoggingSettings.Format.JSON;
    addConsole(
        context,
        ConsoleTarget.SystemOut,
        json ? JsonLines.encoder() : new TextLineEncoder(),
        Level.toLevel(settings.level().name()));
    // Below INFO, Netty logs its class loading, which does not help an operator.
    context.getLogger("io.netty").setLevel(Level.INFO);
    // gRPC logs each failed connection with a stack trace and without the peer; the callers of gRPC
    // log it in one line.
    context.getLogger("io.grpc").setLevel(Level.ERROR);
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  /// Changes the level only, without losing an event.
  public static void level(LoggingSettings.Level level) {
    if (LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)
        instanceof ch.qos.logback.classic.Logger root) {
      root.setLevel(Level.toLevel(level.name()));
    }
  }

  /// Adds one appender to the root logger.
  static void addConsole(
      LoggerContext context, ConsoleTarget to, Encoder<ILoggingEvent> encoder, Level level) {
    encoder.setContext(context);
    encoder.start();
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setName(to.getName());
    console.setTarget(to.getName());
    console.setContext(context);
    console.setEncoder(encoder);
    console.start();
    ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(level);
    root.addAppender(console);
  }
}
