package io.viaduct.service.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/// Encodes an event as one line: `{"time":"<RFC 3339,
/// UTC>","level":..,"logger":..,"thread":..,"message":..}`, with `context` (the MDC) and `stack` if
/// the event has them.
final class JsonLineEncoder extends EncoderBase<ILoggingEvent> {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final byte[] NOTHING = {};

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    Map<String, Object> line = new LinkedHashMap<>();
    Instant time = event.getInstant();
    line.put("time", (time == null ? Instant.ofEpochMilli(event.getTimeStamp()) : time).toString());
    line.put("level", event.getLevel().toString());
    line.put("logger", event.getLoggerName());
    line.put("thread", event.getThreadName());
    line.put("message", event.getFormattedMessage());
    if (!event.getMDCPropertyMap().isEmpty()) {
      line.put("context", event.getMDCPropertyMap());
    }
    if (event.getThrowableProxy() != null) {
      line.put("stack", ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
    byte[] json = JSON.writeValueAsBytes(line);
    byte[] ended = new byte[json.length + 1];
    System.arraycopy(json, 0, ended, 0, json.length);
    ended[json.length] = '\n';
    return ended;
  }
}
