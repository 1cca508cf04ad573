package io.viaduct.service.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/// Records the log lines of a logger and all loggers below it while it is open, from level INFO up.
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger logger;
  private final Level before;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private CapturedLog(Logger logger) {
    this.logger = logger;
    this.before = logger.getLevel();
  }

  /// Starts to record.
  ///
  /// @param name of the logger, e.g. a package
  public static CapturedLog of(String name) {
    CapturedLog log = new CapturedLog((Logger) LoggerFactory.getLogger(name));
    log.start();
    log.logger.setLevel(Level.INFO);
    log.logger.addAppender(log);
    return log;
  }

  @Override
  protected void append(ILoggingEvent event) {
    lines.add(
        event.getFormattedMessage()
            + (event.getThrowableProxy() == null ? "" : " with a stack trace"));
  }

  /// Returns the recorded lines that contain a text.
  public List<String> lines(String words) {
    return lines.stream().filter(line -> line.contains(words)).toList();
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setLevel(before);
    stop();
  }
}
