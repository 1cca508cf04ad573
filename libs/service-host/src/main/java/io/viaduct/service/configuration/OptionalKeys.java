package io.viaduct.service.configuration;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/// Sets keys of type `Optional` that a file leaves out to null, because the binding requires every
/// key. The defaults file cannot do this for the items of a list.
final class OptionalKeys {
  private OptionalKeys() {}

  static void fill(ObjectMapper mapper, JsonNode node, JavaType type) {
    if (type.isReferenceType()) {
      fill(mapper, node, type.getContentType());
    } else if (type.isCollectionLikeType() && node.isArray()) {
      node.forEach(item -> fill(mapper, item, type.getContentType()));
    } else if (type.isMapLikeType() && node.isObject()) {
      node.properties().forEach(entry -> fill(mapper, entry.getValue(), type.getContentType()));
    } else if (isReadByKeys(type.getRawClass()) && node instanceof ObjectNode object) {
      Map<String, RecordComponent> keys = new LinkedHashMap<>();
      Refusals.keys(type.getRawClass(), keys);
      keys.forEach((name, component) -> {
        JavaType wanted = mapper.constructType(component.getGenericType());
        if (wanted.isReferenceType() && !object.has(name)) {
          object.putNull(name);
        } else {
          fill(mapper, object.path(name), wanted);
        }
      });
    }
  }

  // A record with its own creator reads the tree itself.
  private static boolean isReadByKeys(Class<?> type) {
    return type.isRecord()
        && Arrays.stream(type.getDeclaredMethods())
            .noneMatch(method -> method.isAnnotationPresent(JsonCreator.class));
  }
}
