package io.viaduct.service.configuration;

import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;

/// All keys of a configuration record, with dots between their levels.
final class KnownKeys {
  private final Set<String> all = new LinkedHashSet<>();
  private final Set<String> open = new LinkedHashSet<>();

  KnownKeys(ObjectMapper mapper, Class<? extends Record> type) {
    collect(mapper, type, "");
  }

  private void collect(ObjectMapper mapper, Class<?> type, String above) {
    Map<String, RecordComponent> keys = new LinkedHashMap<>();
    Refusals.keys(type, keys);
    keys.forEach((name, component) -> {
      String key = above + name;
      all.add(key);
      JavaType value = mapper.constructType(component.getGenericType());
      Class<?> raw = (value.isReferenceType() ? value.getContentType() : value).getRawClass();
      if (raw.isRecord() && !SingleValue.is(raw)) {
        collect(mapper, raw, key + ".");
      } else if (value.isMapLikeType()) {
        open.add(key + ".");
      }
    });
  }

  /// Returns whether the record has a key, or has a mapping there whose keys the operator chooses.
  boolean contains(String key) {
    return all.contains(key) || open.stream().anyMatch(key::startsWith);
  }

  /// Returns every key of the record.
  Set<String> all() {
    return all;
  }
}
