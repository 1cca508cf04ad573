package io.viaduct.sip.jain;

import gov.nist.core.StackLogger;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Passes the stack's errors to SLF4J. All other levels are off, because they would log several
/// lines per message and whole messages with their credentials. The stack creates it by its class
/// name.
public final class SilentStackLogger implements StackLogger {
  private static final Logger LOG = LoggerFactory.getLogger("io.viaduct.sip.jain.stack");

  @Override
  public void logError(@Nullable String message) {
    LOG.debug("{}", message);
  }

  @Override
  public void logError(@Nullable String message, @Nullable Exception exception) {
    LOG.debug("{}", message, exception);
  }

  @Override
  public void logFatalError(@Nullable String message) {
    LOG.error("{}", message);
  }

  @Override
  public void logException(@Nullable Throwable exception) {
    LOG.debug("stack", exception);
  }

  @Override
  public boolean isLoggingEnabled() {
    return false;
  }

  @Override
  public boolean isLoggingEnabled(int level) {
    return false;
  }

  @Override
  public int getLineCount() {
    return 0;
  }

  @Override
  public @Nullable String getLoggerName() {
    return LOG.getName();
  }

  @Override
  public void logStackTrace() {}

  @Override
  public void logStackTrace(int level) {}

  @Override
  public void logDebug(@Nullable String message) {}

  @Override
  public void logDebug(@Nullable String message, @Nullable Exception exception) {}

  @Override
  public void logTrace(@Nullable String message) {}

  @Override
  public void logWarning(@Nullable String message) {}

  @Override
  public void logInfo(@Nullable String message) {}

  @Override
  public void disableLogging() {}

  @Override
  public void enableLogging() {}

  @Override
  public void setBuildTimeStamp(@Nullable String stamp) {}

  @Override
  public void setStackProperties(@Nullable Properties properties) {}
}
