package io.viaduct.service.logging;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;

/// Encodes an event as one readable line; the format is the same before and after the configuration
/// is read.
public final class TextLineEncoder extends PatternLayoutEncoder {
  // Line breaks inside a message are written as \n, so that a message cannot forge a line of the
  // log.
  private static final String TEXT =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX,UTC} %-5level [%thread] %logger{0} - "
          + "%replace(%msg){'[\\r\\n]+','\\\\n'}%n";

  /// Sets the pattern.
  public TextLineEncoder() {
    setPattern(TEXT);
  }
}
