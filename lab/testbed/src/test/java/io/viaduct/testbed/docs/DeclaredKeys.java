package io.viaduct.testbed.docs;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.cnapt.CnaptConfiguration;
import io.viaduct.setup.installation.Installation;
import io.viaduct.snapt.SnaptConfiguration;
import io.viaduct.webgui.configuration.WebguiConfiguration;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy;

/// Holds the keys of every configuration file, taken from the records that the files are bound to.
final class DeclaredKeys {
  private static final KebabCaseStrategy KEBAB = new KebabCaseStrategy();
  private static final String ANY = "*";

  /// Keys below a key; `*` where a file may have any name.
  private record Keys(Map<String, Keys> below) {
    Optional<Keys> at(String key) {
      return Optional.ofNullable(below.getOrDefault(key, below.get(ANY)));
    }
  }

  private final List<Keys> roots;
  private final List<Keys> all = new ArrayList<>();

  private DeclaredKeys(List<Class<?>> records) {
    roots = records.stream().map(this::of).toList();
  }

  /// Returns the keys of all services, of a file of subscribers and of an installation.
  static DeclaredKeys ofAllFiles() throws ClassNotFoundException {
    return new DeclaredKeys(
        List.of(
            SnaptConfiguration.class,
            CnaptConfiguration.class,
            BridgeConfiguration.class,
            BillingConfiguration.class,
            WebguiConfiguration.class,
            Installation.class,
            Class.forName("io.viaduct.billing.provisioning.SubscriberFile")));
  }

  /// Answers for a whole path, such as `sip.contacts` or `snapts[].line-rate`.
  boolean hasPath(String path) {
    List<String> keys = List.of(path.replace("[]", "").split("\\."));
    return roots.stream().anyMatch(root -> leads(root, keys));
  }

  /// Answers for a key or the end of a path, whatever it stands below.
  boolean hasEnd(String path) {
    List<String> keys = List.of(path.replace("[]", "").split("\\."));
    return all.stream().anyMatch(below -> leads(below, keys));
  }

  /// Answers for a piece of a file: every key of it stands together in one place.
  boolean hasPiece(JsonNode piece) {
    return all.stream().anyMatch(keys -> has(keys, piece));
  }

  /// Returns declared paths that end like `path`, or begin like it.
  Collection<String> near(String path) {
    String last = path.substring(path.lastIndexOf('.') + 1);
    String first = path.split("[.\\[]")[0];
    TreeSet<String> near = new TreeSet<>();
    roots.forEach(root -> collect(root, "", near));
    near.removeIf(known -> !known.endsWith(last) && !known.startsWith(first + "."));
    return near;
  }

  private static void collect(Keys keys, String prefix, TreeSet<String> into) {
    keys.below()
        .forEach((key, below) -> {
          into.add(prefix + key);
          collect(below, prefix + key + ".", into);
        });
  }

  private static boolean leads(Keys from, List<String> keys) {
    Optional<Keys> here = Optional.of(from);
    for (String key : keys) {
      here = here.flatMap(at -> at.at(key));
    }
    return here.isPresent();
  }

  private static boolean has(Keys keys, JsonNode piece) {
    if (piece.isArray()) {
      return piece.valueStream().allMatch(item -> has(keys, item));
    }
    return piece.properties().stream()
        .allMatch(entry -> {
          Optional<Keys> here = Optional.of(keys);
          for (String key : entry.getKey().split("\\.")) {
            here = here.flatMap(at -> at.at(key));
          }
          return here.isPresent() && has(here.get(), entry.getValue());
        });
  }

  private Keys of(Type type) {
    Keys keys = new Keys(new HashMap<>());
    if (type instanceof ParameterizedType generic) {
      Type[] arguments = generic.getActualTypeArguments();
      if (generic.getRawType() == Map.class) {
        keys.below().put(ANY, of(arguments[1]));
        return keys;
      }
      return of(arguments[0]); // a list has the keys of its lines, an optional those of its value
    }
    if (type instanceof Class<?> record && record.isRecord()) {
      namesOf(record).forEach(keys.below()::put);
      all.add(keys);
    }
    return keys;
  }

  private Map<String, Keys> namesOf(Class<?> record) {
    Map<String, Keys> names = new HashMap<>();
    if (Arrays.stream(record.getDeclaredMethods())
        .anyMatch(method -> method.isAnnotationPresent(JsonCreator.class))) {
      // It reads the tree itself: one word, or the keys of its constant.
      ownKeys(record).forEach(name -> names.put(name, new Keys(Map.of(ANY, new Keys(Map.of())))));
      return names;
    }
    for (RecordComponent component : record.getRecordComponents()) {
      names.put(
          KEBAB.nameForField(null, null, component.getName()), of(component.getGenericType()));
    }
    return names;
  }

  private static List<String> ownKeys(Class<?> record) {
    try {
      Field constant = record.getDeclaredField("KEYS");
      constant.setAccessible(true);
      return ((Collection<?>) constant.get(null)).stream().map(Object::toString).toList();
    } catch (NoSuchFieldException e) {
      return List.of();
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
