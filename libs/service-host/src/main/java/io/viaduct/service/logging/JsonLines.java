package io.viaduct.service.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import net.logstash.logback.encoder.LogstashEncoder;
import net.logstash.logback.fieldnames.LogstashCommonFieldNames;
import net.logstash.logback.fieldnames.LogstashFieldNames;

/// Makes the encoder of one JSON object per line: `{"time":"<RFC 3339,
/// UTC>","message":..,"logger":..,"thread":..,"level":..}`, with `context` (the MDC) and `stack` if
/// the event has them.
final class JsonLines {
  private JsonLines() {}

  static Encoder<ILoggingEvent> encoder() {
    LogstashFieldNames names = new LogstashFieldNames();
    names.setTimestamp("time");
    names.setLogger("logger");
    names.setThread("thread");
    names.setStackTrace("stack");
    names.setMdc("context");
    names.setVersion(LogstashCommonFieldNames.IGNORE_FIELD_INDICATOR);
    names.setLevelValue(LogstashCommonFieldNames.IGNORE_FIELD_INDICATOR);
    names.setTags(LogstashCommonFieldNames.IGNORE_FIELD_INDICATOR);
    LogstashEncoder encoder = new LogstashEncoder();
    encoder.setFieldNames(names);
    encoder.setTimeZone("UTC");
    encoder.setFindAndRegisterJacksonModules(false);
    return encoder;
  }
}
