package io.viaduct.service.configuration;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.lang.reflect.RecordComponent;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.StringNode;

/// Resolves the file names of a configuration file against the directory of that file. So a
/// directory with a configuration and its keys can be moved, and the working directory does not
/// matter.
final class RelativePaths {
  private final ObjectMapper mapper;
  private final Path directory;

  private RelativePaths(ObjectMapper mapper, Path directory) {
    this.mapper = mapper;
    this.directory = directory;
  }

  /// Resolves every relative [Path], [Secret] and [FileName] of a file's tree, in place.
  ///
  /// @param file file that the tree was read from
  /// @param type record that the tree will be bound to
  static void resolve(ObjectMapper mapper, Path file, JsonNode tree, Class<? extends Record> type) {
    Path directory = file.toAbsolutePath().normalize().getParent();
    if (directory != null) {
      new RelativePaths(mapper, directory).record(type, tree);
    }
  }

  private void record(Class<?> type, JsonNode tree) {
    if (!(tree instanceof ObjectNode object)) {
      return; // refused when it is bound
    }
    for (RecordComponent component : type.getRecordComponents()) {
      if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        record(component.getType(), object);
        continue;
      }
      String key = Refusals.kebab(component.getName());
      JsonNode value = object.get(key);
      if (value != null) {
        JavaType declared = mapper.constructType(component.getGenericType());
        object.set(
            key,
            component.isAnnotationPresent(FileName.class) ? absolute(value) : any(declared, value));
      }
    }
  }

  private JsonNode any(JavaType type, JsonNode value) {
    Class<?> raw = type.getRawClass();
    if (raw == Path.class || raw == Secret.class) {
      return absolute(value);
    }
    if (type.isReferenceType()) {
      return any(type.getContentType(), value);
    }
    if (type.isCollectionLikeType() && value instanceof ArrayNode items) {
      for (int i = 0; i < items.size(); i++) {
        items.set(i, any(type.getContentType(), items.get(i)));
      }
    } else if (type.isMapLikeType() && value instanceof ObjectNode entries) {
      entries
          .properties()
          .forEach(each -> each.setValue(any(type.getContentType(), each.getValue())));
    } else if (raw.isRecord() && !SingleValue.is(raw)) {
      record(raw, value);
    }
    return value;
  }

  private JsonNode absolute(JsonNode value) {
    if (!value.isString() || value.asString().isEmpty()) {
      return value;
    }
    try {
      return StringNode.valueOf(directory.resolve(value.asString()).normalize().toString());
    } catch (InvalidPathException _) {
      return value; // refused when it is bound
    }
  }
}
