package io.viaduct.service.logging;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;

/// One event, one line for people, the same before and after the configuration is read.
public final class TextLineEncoder extends PatternLayoutEncoder {
  // Line breaks inside a message are shown as \n, so that nobody can forge a line of the log.
  private static final String TEXT =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX,UTC} %-5level [%thread] %logger{0} - "
          + "%replace(%msg){'[\\r\\n]+','\\\\n'}%n";

  /// With its pattern.
  public TextLineEncoder() {
    setPattern(TEXT);
  }
}
