package io.viaduct.service.configuration;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/// The keys of an effective configuration with their values, for comparison with a later one. The
/// value of a key that names a file includes the hash of the file's content, so a renewed
/// certificate counts as a change although its path is the same.
public final class ConfigurationKeys {
  private static final int SHOWN_MAX = 200;

  private final SortedMap<String, Value> values = new TreeMap<>();

  /// @param shown value in the form of the file; a secret is shown as the name of its file
  /// @param content hashes of the files that the value names
  private record Value(JsonNode shown, String content) {}

  /// A key whose value has changed, or the content of whose file has changed.
  ///
  /// @param description the key and what has changed, secrets masked
  public record Change(String key, String description) {}

  private ConfigurationKeys() {}

  /// Returns the keys of a configuration. Reads the files that it names.
  public static ConfigurationKeys of(Record configuration) {
    ConfigurationKeys keys = new ConfigurationKeys();
    keys.record(configuration, EffectiveConfiguration.tree(configuration), "");
    return keys;
  }

  /// Returns the changed keys, in alphabetical order.
  public List<Change> changesTo(ConfigurationKeys next) {
    SortedMap<String, Value> all = new TreeMap<>(values);
    all.putAll(next.values);
    List<Change> changes = new ArrayList<>();
    Value none = new Value(StringNode.valueOf("(none)"), "");
    all.keySet()
        .forEach(key -> {
          Value before = values.getOrDefault(key, none);
          Value after = next.values.getOrDefault(key, none);
          if (!before.equals(after)) {
            changes.add(new Change(key, key + ": " + description(before.shown, after.shown)));
          }
        });
    return changes;
  }

  private static String description(JsonNode before, JsonNode after) {
    if (before.equals(after)) {
      return "the content of " + shortened(after) + " is new";
    }
    if (!before.isArray() || !after.isArray()) {
      return shortened(before) + " -> " + shortened(after);
    }
    List<String> items = new ArrayList<>();
    without(before, after).forEach(item -> items.add("- " + shortened(item)));
    without(after, before).forEach(item -> items.add("+ " + shortened(item)));
    return items.isEmpty() ? "another order" : String.join(", ", items);
  }

  private static List<JsonNode> without(JsonNode list, JsonNode other) {
    Set<JsonNode> known = new HashSet<>(other.values());
    return list.values().stream().filter(item -> !known.contains(item)).toList();
  }

  private static String shortened(JsonNode node) {
    String shown = text(node);
    return shown.length() <= SHOWN_MAX ? shown : shown.substring(0, SHOWN_MAX) + "…";
  }

  private void record(Record record, JsonNode shown, String above) {
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      Object value = valueOf(component, record);
      if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        if (value instanceof Record inner) {
          record(inner, shown, above);
        }
        continue;
      }
      String name = Refusals.kebab(component.getName());
      boolean isFile = component.isAnnotationPresent(FileName.class);
      any(isFile ? path(value) : value, shown.path(name), above + name);
    }
  }

  private void any(@Nullable Object value, JsonNode shown, String key) {
    switch (value) {
      case Optional<?> optional when optional.isPresent() -> any(optional.get(), shown, key);
      case Record inner when !SingleValue.is(inner.getClass()) -> record(inner, shown, key + ".");
      case Map<?, ?> entries ->
          shown
              .properties()
              .forEach(e -> any(entries.get(e.getKey()), e.getValue(), key + "." + e.getKey()));
      case null, default -> values.put(key, new Value(shown, content(value)));
    }
  }

  private static String text(JsonNode shown) {
    return shown.isString() ? shown.asString() : shown.toString();
  }

  private static String content(@Nullable Object value) {
    return switch (value) {
      case Secret secret -> content(secret.file());
      case Path file -> hash(file);
      case Collection<?> all ->
          String.join(" ", all.stream().map(ConfigurationKeys::content).toList());
      case null, default -> "";
    };
  }

  // Directories, sockets and files that do not exist yet are compared by name only.
  private static String hash(Path file) {
    if (!Files.isRegularFile(file)) {
      return "";
    }
    try (InputStream in =
        new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
      in.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(((DigestInputStream) in).getMessageDigest().digest());
    } catch (IOException e) {
      return "cannot be read: " + e.getMessage();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static @Nullable Object path(@Nullable Object name) {
    try {
      return name instanceof String text && !text.isEmpty() ? Path.of(text) : name;
    } catch (InvalidPathException _) {
      return name;
    }
  }

  private static @Nullable Object valueOf(RecordComponent component, Record record) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(component + " of a configuration can be read", e);
    }
  }
}
