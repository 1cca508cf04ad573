package io.viaduct.webgui.tariff;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/// Writes the fields of a form into a tariff document. It knows no rule of a tariff: what is no
/// number is written as text, and billing says what is wrong with it.
///
/// A field is named `t/` and the keys that lead to its value, with slashes between them. A knot has
/// two fields, `…/0` and `…/1`, below the number of its row, or below `new` for one that is added
/// at its place. The fields of a new application are `application` with its name, and
/// `application/` with each of its keys; `without/` and a name takes an application away.
final class DraftDocument {
  private static final String FIELD = "t";
  private static final String SEPARATOR = "/";
  private static final String NEW_KNOT = "new";
  private static final String APPLICATIONS = "applications";
  private static final String NEW_APPLICATION = "application";
  private static final String WITHOUT = "without";

  /// Keys of the parts whose values may be left out.
  private static final List<String> OPTIONAL =
      List.of("fees", "caps", "refunds", "credit-failure", "relay-share");

  /// Longest path: `classes`, class, table, row, number.
  private static final int KNOT_DEPTH = 5;

  private DraftDocument() {}

  static String name(String... path) {
    return Stream.concat(Stream.of(FIELD), Stream.of(path)).collect(Collectors.joining(SEPARATOR));
  }

  /// Returns the document with the values of the fields.
  static JsonNode with(JsonNode document, Map<String, String> fields) {
    ObjectNode changed =
        document instanceof ObjectNode object
            ? object.deepCopy()
            : JsonNodeFactory.instance.objectNode();
    Map<List<String>, Map<String, String[]>> tables = new LinkedHashMap<>();
    fields.forEach((name, value) -> {
      List<String> path = List.of(name.split(SEPARATOR));
      if (path.getFirst().equals(FIELD) && path.size() > 1) {
        set(changed, path.subList(1, path.size()), value.strip(), tables);
      }
    });
    tables.forEach((path, rows) -> parent(changed, path).set(path.getLast(), table(changed, rows)));
    if (!addsTwice(document, fields)) {
      addApplication(changed, fields);
    }
    String without = WITHOUT + SEPARATOR;
    fields.keySet().stream()
        .filter(name -> name.startsWith(without))
        .forEach(name ->
            changed.withObject("/" + APPLICATIONS).remove(name.substring(without.length())));
    return changed;
  }

  /// Returns the name of the field for a key of the new application.
  static String ofNewApplication(String key) {
    return NEW_APPLICATION + SEPARATOR + key;
  }

  /// Returns true if the new application has the name of one that is there, which then stays.
  static boolean addsTwice(JsonNode document, Map<String, String> fields) {
    String name = newName(fields);
    return !name.isEmpty() && document.path(APPLICATIONS).has(name);
  }

  private static String newName(Map<String, String> fields) {
    return fields.getOrDefault(NEW_APPLICATION, "").strip();
  }

  private static void addApplication(ObjectNode document, Map<String, String> fields) {
    String added = newName(fields);
    String field = NEW_APPLICATION + SEPARATOR;
    fields.forEach((name, value) -> {
      if (!added.isEmpty() && name.startsWith(field)) {
        String key = name.substring(field.length());
        put(parent(document, List.of(APPLICATIONS, added, key)), key, value.strip());
      }
    });
  }

  private static void set(
      ObjectNode document,
      List<String> path,
      String value,
      Map<List<String>, Map<String, String[]>> tables) {
    if (path.size() == KNOT_DEPTH) {
      int column = path.getLast().equals("0") ? 0 : 1;
      tables.computeIfAbsent(path.subList(0, 3), _ -> new TreeMap<>(DraftDocument::byRow))
              .computeIfAbsent(path.get(3), _ -> new String[] {"", ""})[column] =
          value;
    } else if (value.isEmpty() && OPTIONAL.contains(path.getFirst())) {
      parent(document, path).remove(path.getLast());
    } else {
      put(parent(document, path), path.getLast(), value);
    }
  }

  private static int byRow(String one, String other) {
    return Integer.compare(row(one), row(other));
  }

  private static int row(String name) {
    return name.matches("\\d{1,6}") ? Integer.parseInt(name) : Integer.MAX_VALUE;
  }

  private static ObjectNode parent(ObjectNode document, List<String> path) {
    ObjectNode parent = document;
    for (String key : path.subList(0, path.size() - 1)) {
      parent = parent.get(key) instanceof ObjectNode child ? child : parent.putObject(key);
    }
    return parent;
  }

  private static void put(ObjectNode parent, String key, String value) {
    BigDecimal number = number(value);
    if (number == null) {
      parent.put(key, value);
    } else {
      parent.put(key, number);
    }
  }

  private static @Nullable BigDecimal number(String text) {
    try {
      return text.matches("[-+0-9.eE]{1,32}") ? new BigDecimal(text) : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  // A row without both numbers is a knot that was taken away.
  private static ArrayNode table(ObjectNode document, Map<String, String[]> rows) {
    ArrayNode table = document.arrayNode();
    rows.forEach((row, pair) -> {
      if (pair[0].isEmpty() && pair[1].isEmpty()) {
        return;
      }
      ArrayNode knot = document.arrayNode();
      add(knot, pair[0]);
      add(knot, pair[1]);
      table.insert(row.equals(NEW_KNOT) ? place(table, number(pair[0])) : table.size(), knot);
    });
    return table;
  }

  private static int place(ArrayNode table, @Nullable BigDecimal at) {
    int index = 0;
    while (at != null
        && index < table.size()
        && table.get(index).path(0).isNumber()
        && table.get(index).path(0).decimalValue().compareTo(at) < 0) {
      index++;
    }
    return at == null ? table.size() : index;
  }

  private static void add(ArrayNode knot, String value) {
    BigDecimal number = number(value);
    if (number == null) {
      knot.add(value);
    } else {
      knot.add(number);
    }
  }
}
