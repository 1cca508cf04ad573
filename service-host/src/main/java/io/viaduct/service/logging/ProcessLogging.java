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

/// Points every SLF4J logger of this process at standard output, and java.util.logging (Tomcat,
/// gRPC) with it. Call it once, first thing after the configuration was read; a later call replaces
/// the earlier set-up.
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
    point(
        context,
        ConsoleTarget.SystemOut,
        json ? new JsonLineEncoder() : new TextLineEncoder(),
        Level.toLevel(settings.level().name()));
    // Below INFO, Netty narrates its own class loading; that answers no operator's question.
    context.getLogger("io.netty").setLevel(Level.INFO);
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  /// Adds one appender to the root logger.
  static void point(
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
