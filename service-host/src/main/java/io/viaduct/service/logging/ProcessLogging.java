package io.viaduct.service.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
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
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setName("standard output");
    console.setContext(context);
    console.setEncoder(encoder(context, settings.format()));
    console.start();
    ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.toLevel(settings.level().name()));
    root.addAppender(console);
    // Below INFO, Netty narrates its own class loading; that answers no operator's question.
    context.getLogger("io.netty").setLevel(Level.INFO);
    SLF4JBridgeHandler.removeHandlersForRootLogger();
    SLF4JBridgeHandler.install();
  }

  private static Encoder<ILoggingEvent> encoder(
      LoggerContext context, LoggingSettings.Format format) {
    if (format == LoggingSettings.Format.JSON) {
      JsonLineEncoder json = new JsonLineEncoder();
      json.setContext(context);
      json.start();
      return json;
    }
    TextLineEncoder text = new TextLineEncoder();
    text.setContext(context);
    text.start();
    return text;
  }
}
