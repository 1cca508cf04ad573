package io.viaduct.sip.jain;

import gov.nist.core.ServerLogger;
import gov.nist.javax.sip.message.SIPMessage;
import java.util.Properties;
import javax.sip.SipStack;
import org.jspecify.annotations.Nullable;

/// Drops the stack's message trace, because messages carry credentials and personal data. The stack
/// creates it by its class name.
public final class SilentServerLogger implements ServerLogger {
  @Override
  public void closeLogFile() {}

  @Override
  public void logMessage(
      @Nullable SIPMessage message,
      @Nullable String from,
      @Nullable String to,
      boolean sender,
      long time) {}

  @Override
  public void logMessage(
      @Nullable SIPMessage message,
      @Nullable String from,
      @Nullable String to,
      @Nullable String status,
      boolean sender,
      long time) {}

  @Override
  public void logMessage(
      @Nullable SIPMessage message,
      @Nullable String from,
      @Nullable String to,
      @Nullable String status,
      boolean sender) {}

  @Override
  public void logException(@Nullable Exception exception) {}

  @Override
  public void setStackProperties(@Nullable Properties properties) {}

  @Override
  public void setSipStack(@Nullable SipStack stack) {}
}
