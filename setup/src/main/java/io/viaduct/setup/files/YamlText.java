package io.viaduct.setup.files;

import io.viaduct.service.configuration.ConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.CollectionNode;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// Adds entries to YAML text that people edit. Comments, order and layout of the rest are kept.
public final class YamlText {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final JsonMapper JSON = new JsonMapper();

  private YamlText() {}

  /// Returns a string as YAML in double quotes.
  public static String quoted(String text) {
    return JSON.writeValueAsString(text);
  }

  /// Returns strings as a YAML list on one line.
  public static String list(List<?> values) {
    return values.stream()
        .map(each -> quoted(each.toString()))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  /// Adds an item to the list, or an entry to the mapping, that is the value of a top-level key.
  ///
  /// @param where file name, for the message
  /// @param item YAML on one line: `{id: a}` for a list, `a: b` for a mapping
  /// @throws ConfigurationException if the text cannot be extended without a risk for its other
  ///   entries; the message shows the entry to add by hand
  public static String append(String where, String text, String key, String item) {
    try {
      JsonNode before = tree(text);
      boolean mapping = !item.startsWith("{");
      String extended = extended(text, key, item, mapping);
      if (tree(extended).equals(expected(before, key, item, mapping))) {
        return extended;
      }
    } catch (JacksonException | YamlEngineException | IllegalArgumentException _) {
      // reported below, with the same remedy
    }
    throw new ConfigurationException(
        "%s: its key '%s' cannot be extended automatically: add this entry by hand: %s"
            .formatted(where, key, item));
  }

  /// Returns the `id` of each item of a list, or the keys of a mapping.
  public static List<String> ids(String text, String key) {
    JsonNode value = tree(text).path(key);
    return value.isObject()
        ? value.properties().stream().map(Map.Entry::getKey).toList()
        : value.valueStream().map(item -> item.path("id").asString("")).toList();
  }

  private static JsonNode tree(String text) {
    JsonNode tree = YAML.readTree(text);
    if (tree.isMissingNode() || tree.isNull()) {
      return YAML.createObjectNode();
    }
    if (!tree.isObject()) {
      throw new IllegalArgumentException("must be a mapping of keys to values");
    }
    return tree;
  }

  private static JsonNode expected(JsonNode before, String key, String item, boolean mapping) {
    ObjectNode whole = (ObjectNode) before.deepCopy();
    JsonNode value = whole.get(key);
    if (value != null && !value.isNull() && !(mapping ? value.isObject() : value.isArray())) {
      throw new IllegalArgumentException("the value of " + key + " is of another kind");
    }
    if (mapping) {
      ObjectNode entries = value instanceof ObjectNode found ? found : YAML.createObjectNode();
      YAML.readTree(item).properties().forEach(each -> entries.set(each.getKey(), each.getValue()));
      whole.set(key, entries);
    } else {
      ArrayNode items = value instanceof ArrayNode found ? found : YAML.createArrayNode();
      items.add(YAML.readTree(item));
      whole.set(key, items);
    }
    return whole;
  }

  private static String extended(String text, String key, String item, boolean mapping) {
    String dash = mapping ? "" : "- ";
    Optional<Node> value = value(text, key);
    if (value.isEmpty()) {
      String end = text.isEmpty() || text.endsWith("\n") ? "" : "\n";
      return text + end + key + ":\n  " + dash + item + "\n";
    }
    if (value.get() instanceof CollectionNode<?> node && !node.getValue().isEmpty()) {
      return node.getFlowStyle() == FlowStyle.FLOW
          ? inserted(text, end(node) - 1, ", " + item)
          : afterLine(text, leafEnd(node), " ".repeat(start(node).getColumn()) + dash + item);
    }
    int from = text.offsetByCodePoints(0, start(value.get()).getIndex());
    int to = text.offsetByCodePoints(0, end(value.get()));
    return text.substring(0, from).stripTrailing() + "\n  " + dash + item + text.substring(to);
  }

  private static Optional<Node> value(String text, String key) {
    var compose = new Compose(LoadSettings.builder().build());
    if (!(compose.composeString(text).orElse(null) instanceof MappingNode root)) {
      return Optional.empty();
    }
    return root.getValue().stream()
        .filter(each -> each.getKeyNode() instanceof ScalarNode name && name.getValue().equals(key))
        .map(NodeTuple::getValueNode)
        .findFirst();
  }

  /// Returns the end of the last leaf of a node. The end mark of a block itself is at the next
  /// token, after any comments.
  private static int leafEnd(Node node) {
    return switch (node) {
      case SequenceNode list when isOpenBlock(list) -> leafEnd(list.getValue().getLast());
      case MappingNode entries when isOpenBlock(entries) ->
          leafEnd(entries.getValue().getLast().getValueNode());
      default -> end(node);
    };
  }

  private static boolean isOpenBlock(CollectionNode<?> node) {
    return node.getFlowStyle() == FlowStyle.BLOCK && !node.getValue().isEmpty();
  }

  private static Mark start(Node node) {
    return node.getStartMark().orElseThrow();
  }

  private static int end(Node node) {
    return node.getEndMark().orElseThrow().getIndex();
  }

  private static String inserted(String text, int codePoint, String what) {
    int at = text.offsetByCodePoints(0, codePoint);
    return text.substring(0, at) + what + text.substring(at);
  }

  private static String afterLine(String text, int codePoint, String line) {
    int lineEnd = text.indexOf('\n', text.offsetByCodePoints(0, codePoint));
    return lineEnd < 0
        ? text + "\n" + line + "\n"
        : text.substring(0, lineEnd + 1) + line + "\n" + text.substring(lineEnd + 1);
  }
}
