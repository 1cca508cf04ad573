package io.viaduct.billing.tariff;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// Differences between two tariffs: key by key, and knot by knot in the tables.
public final class TariffDiff {
  private final List<Change> changes = new ArrayList<>();

  private TariffDiff() {}

  /// A difference.
  ///
  /// @param place keys that lead to the value, with points between them
  /// @param knot index of the knot, from 0 on: in the later table, or in the earlier one for a knot
  ///   that is gone; null if the value is in no table
  /// @param before value in the earlier tariff as JSON; null if it has none
  /// @param after value in the later tariff as JSON; null if it has none
  public record Change(
      String place, @Nullable Integer knot, @Nullable String before, @Nullable String after) {}

  /// Returns all differences, in the order of their places.
  public static List<Change> of(Tariff before, Tariff after) {
    TariffDiff diff = new TariffDiff();
    diff.compare("", TariffDocument.tree(before), TariffDocument.tree(after));
    return List.copyOf(diff.changes);
  }

  private void compare(String place, @Nullable JsonNode before, @Nullable JsonNode after) {
    if (before != null && before.equals(after)) {
      return;
    }
    if (isObject(before) || isObject(after)) {
      Set<String> keys = new TreeSet<>();
      addKeys(keys, before);
      addKeys(keys, after);
      for (String key : keys) {
        compare(place.isEmpty() ? key : place + "." + key, child(before, key), child(after, key));
      }
    } else if (before != null && after != null && before.isArray() && after.isArray()) {
      compareKnots(place, before, after);
    } else {
      changes.add(new Change(place, null, text(before), text(after)));
    }
  }

  // In tables with as many knots, a knot that was moved stays the same knot. Else knots are the
  // same if they are at the same place.
  private void compareKnots(String place, JsonNode before, JsonNode after) {
    if (before.size() == after.size()) {
      for (int i = 0; i < before.size(); i++) {
        if (!before.get(i).equals(after.get(i))) {
          changes.add(new Change(place, i, text(before.get(i)), text(after.get(i))));
        }
      }
      return;
    }
    TreeMap<Double, Integer> old = byKnot(before);
    TreeMap<Double, Integer> next = byKnot(after);
    Set<Double> knots = new TreeSet<>(old.keySet());
    knots.addAll(next.keySet());
    for (Double knot : knots) {
      Integer was = old.get(knot);
      Integer is = next.get(knot);
      JsonNode first = was == null ? null : before.get(was);
      JsonNode second = is == null ? null : after.get(is);
      if (first == null || !first.equals(second)) {
        changes.add(new Change(place, is == null ? was : is, text(first), text(second)));
      }
    }
  }

  private static TreeMap<Double, Integer> byKnot(JsonNode table) {
    TreeMap<Double, Integer> indices = new TreeMap<>();
    for (int i = 0; i < table.size(); i++) {
      indices.put(table.get(i).get(0).asDouble(), i);
    }
    return indices;
  }

  private static boolean isObject(@Nullable JsonNode node) {
    return node != null && node.isObject();
  }

  private static void addKeys(Set<String> keys, @Nullable JsonNode node) {
    if (node != null) {
      keys.addAll(node.propertyNames());
    }
  }

  private static @Nullable JsonNode child(@Nullable JsonNode node, String key) {
    return node == null ? null : node.get(key);
  }

  private static @Nullable String text(@Nullable JsonNode node) {
    return node == null ? null : node.isString() ? node.asString() : node.toString();
  }
}
