package io.viaduct.denarii.statement;

import com.google.protobuf.ByteString;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import tools.jackson.databind.JsonNode;

/// The fields of a JSON object. A missing or malformed field is an [IllegalArgumentException] that
/// names it.
record Fields(JsonNode json) {
  String text(String name) {
    JsonNode value = json.get(name);
    if (value == null || !value.isString()) {
      throw bad(name, "must be a text");
    }
    return value.asString();
  }

  long number(String name) {
    try {
      return Long.parseLong(text(name));
    } catch (NumberFormatException _) {
      throw bad(name, "must be an integer in quotes");
    }
  }

  ByteString hex(String name) {
    return hex(name, text(name));
  }

  private static ByteString hex(String name, String digits) {
    try {
      return ByteString.copyFrom(HexFormat.of().parseHex(digits));
    } catch (IllegalArgumentException _) {
      throw bad(name, "must be hexadecimal digits");
    }
  }

  ByteString base64(String name) {
    return base64(name, text(name));
  }

  private static ByteString base64(String name, String text) {
    try {
      return ByteString.copyFrom(Base64.getDecoder().decode(text));
    } catch (IllegalArgumentException _) {
      throw bad(name, "must be base64");
    }
  }

  /// Returns the octets, or none if the field is missing.
  ByteString optionalBase64(String name) {
    return json.has(name) ? base64(name) : ByteString.EMPTY;
  }

  List<ByteString> hexList(String name) {
    List<ByteString> list = new ArrayList<>();
    for (JsonNode each : array(name)) {
      list.add(hex(name, each.asString("")));
    }
    return list;
  }

  List<ByteString> base64List(String name) {
    List<ByteString> list = new ArrayList<>();
    for (JsonNode each : array(name)) {
      list.add(base64(name, each.asString("")));
    }
    return list;
  }

  private JsonNode array(String name) {
    JsonNode value = json.path(name);
    if (!value.isArray()) {
      throw bad(name, "must be a list");
    }
    return value;
  }

  /// Returns microseconds since 1970 of a time.
  long micros(String name) {
    try {
      return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text(name)));
    } catch (DateTimeException _) {
      throw bad(name, "must be a time such as 2026-11-26T10:00:00Z");
    }
  }

  LocalDate day(String name) {
    try {
      return LocalDate.parse(text(name));
    } catch (DateTimeException _) {
      throw bad(name, "must be a day such as 2026-11-26");
    }
  }

  private static IllegalArgumentException bad(String name, String rule) {
    return new IllegalArgumentException(name + " " + rule);
  }
}
