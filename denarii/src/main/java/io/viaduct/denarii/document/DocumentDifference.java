package io.viaduct.denarii.document;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// The difference between two documents, value by value. Numbers are compared as numbers, so `1`
/// and `1.0` are equal.
public final class DocumentDifference {
  private DocumentDifference() {}

  /// A value that differs.
  ///
  /// @param path of the value, such as `classes.HT_LD.weight` or `tables.m[2]`
  /// @param before null if only the second document has it
  /// @param after null if only the first document has it
  public record Change(String path, @Nullable String before, @Nullable String after) {}

  /// Returns the values that differ, by path.
  public static List<Change> of(JsonNode before, JsonNode after) {
    Map<String, JsonNode> old = new TreeMap<>();
    Map<String, JsonNode> fresh = new TreeMap<>();
    flatten("", before, old);
    flatten("", after, fresh);
    TreeSet<String> paths = new TreeSet<>(old.keySet());
    paths.addAll(fresh.keySet());
    List<Change> changes = new ArrayList<>();
    for (String path : paths) {
      JsonNode a = old.get(path);
      JsonNode b = fresh.get(path);
      if (a == null || b == null || !isSame(a, b)) {
        changes.add(new Change(path, text(a), text(b)));
      }
    }
    return changes;
  }

  private static boolean isSame(JsonNode a, JsonNode b) {
    return a.isNumber() && b.isNumber()
        ? a.decimalValue().compareTo(b.decimalValue()) == 0
        : a.equals(b);
  }

  private static @Nullable String text(@Nullable JsonNode value) {
    return value == null ? null : value.isValueNode() ? value.asString() : value.toString();
  }

  private static void flatten(String path, JsonNode node, Map<String, JsonNode> values) {
    if (node.isObject() && !node.isEmpty()) {
      node.forEachEntry(
          (key, value) -> flatten(path.isEmpty() ? key : path + "." + key, value, values));
    } else if (node.isArray() && !node.isEmpty()) {
      for (int i = 0; i < node.size(); i++) {
        flatten(path + "[" + i + "]", node.get(i), values);
      }
    } else {
      values.put(path, node);
    }
  }
}
