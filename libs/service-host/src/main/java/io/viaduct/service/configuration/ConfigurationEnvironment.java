package io.viaduct.service.configuration;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/// Configuration keys that are set by environment variables. A variable's name is `VIADUCT_CONFIG_`
/// and the key in capitals, with `__` for a dot and `_` for a hyphen: `VIADUCT_CONFIG_REST__PORT`
/// sets `rest.port`. The value is YAML, so `[SHA-256]` is a list. A variable overrides the file.
final class ConfigurationEnvironment {
  static final String PREFIX = "VIADUCT_CONFIG_";

  private static final int SUGGESTIONS = 3;

  private final SortedMap<String, String> variables = new TreeMap<>(); // mappings before keys

  /// @param environment all variables of the process; those without the prefix are ignored
  ConfigurationEnvironment(Map<String, String> environment) {
    environment.forEach((name, value) -> {
      if (name.startsWith(PREFIX)) {
        variables.put(name, value);
      }
    });
  }

  /// Returns the keys and their values in the form of a file.
  ///
  /// @param yaml reads the values
  /// @throws ConfigurationException naming the variable and the most similar known variables
  ObjectNode tree(ObjectMapper yaml, Class<? extends Record> type) {
    ObjectNode tree = yaml.createObjectNode();
    KnownKeys known = new KnownKeys(yaml, type);
    variables.forEach((name, value) -> {
      String key = key(name);
      if (!known.contains(key)) {
        throw new ConfigurationException(
            "environment variable %s: unknown key '%s'; nearest: %s"
                .formatted(name, key, nearest(name, known.all())));
      }
      put(tree, key, parsed(yaml, name, value));
    });
    return tree;
  }

  /// Returns the keys by variable, in alphabetical order.
  SortedMap<String, String> keys() {
    SortedMap<String, String> keys = new TreeMap<>();
    variables.keySet().forEach(name -> keys.put(name, key(name)));
    return keys;
  }

  /// Adds the names of the variables that may have caused a refusal.
  String blame(String refusal) {
    String from =
        keys().entrySet().stream()
            .filter(given -> concerns(refusal, given.getValue()))
            .map(Map.Entry::getKey)
            .collect(Collectors.joining(", "));
    return from.isEmpty() ? refusal : refusal + " (given by environment variable " + from + ")";
  }

  private static boolean concerns(String refusal, String key) {
    if (refusal.startsWith("unknown key '" + key + ".")) {
      return true;
    }
    // A rule about several keys names the key of their mapping.
    for (String level = key; !level.isEmpty(); level = parent(level)) {
      if (refusal.startsWith("key '" + level + "'")) {
        return true;
      }
    }
    return refusal.startsWith("key '" + key + ".") || refusal.startsWith("key '" + key + "[");
  }

  private static String parent(String key) {
    int dot = key.lastIndexOf('.');
    return dot < 0 ? "" : key.substring(0, dot);
  }

  private static String key(String variable) {
    return variable
        .substring(PREFIX.length())
        .toLowerCase(Locale.ROOT)
        .replace("__", ".")
        .replace('_', '-');
  }

  private static String variable(String key) {
    return PREFIX + key.toUpperCase(Locale.ROOT).replace('-', '_').replace(".", "__");
  }

  private static JsonNode parsed(ObjectMapper yaml, String name, String value) {
    try {
      JsonNode parsed = yaml.readTree(value);
      return parsed.isMissingNode() ? yaml.getNodeFactory().stringNode("") : parsed;
    } catch (JacksonException _) {
      // The message omits the value, because it may be secret.
      throw new ConfigurationException(
          "environment variable %s: must be YAML, such as 8081, [a, b] or {a: b}".formatted(name));
    }
  }

  private static void put(ObjectNode tree, String key, JsonNode value) {
    int dot = key.indexOf('.');
    if (dot < 0) {
      tree.set(key, value);
      return;
    }
    String first = key.substring(0, dot);
    ObjectNode below = tree.get(first) instanceof ObjectNode there ? there : tree.putObject(first);
    put(below, key.substring(dot + 1), value);
  }

  private static String nearest(String variable, Collection<String> keys) {
    return new TreeSet<>(keys)
        .stream()
            .map(ConfigurationEnvironment::variable)
            .sorted(Comparator.comparingInt(known -> distance(known, variable)))
            .limit(SUGGESTIONS)
            .collect(Collectors.joining(", "));
  }

  /// Returns the Levenshtein distance: the number of letters to insert, delete or replace.
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
