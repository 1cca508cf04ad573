package io.viaduct.cnapt.classification;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.ConfigurationFile;
import io.viaduct.tunnel.wire.ServiceClass;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Reads the classification table from a file: the built-in `Applications.yml`, or the operator's
/// file, which may replace the applications, the rules, or both. An error message names the place
/// and the entry.
///
/// @param applications rows with `name` and `class`, or with numbers from which the class is
///   derived
/// @param rules rows with `application` and criteria
public record Applications(
    List<Map<String, Object>> applications, List<Map<String, Object>> rules) {
  // Limits of docs/protocol.md section 5: the index is one octet, and the Hello limits the name.
  private static final int APPLICATIONS_MAX = 255;
  private static final Pattern NAME = Pattern.compile("[a-z0-9._-]{1,40}");
  private static final int RULES_MAX = 1000;

  // Main paper, section IV-A.
  private static final double HIGH_THROUGHPUT_KBIT_PER_SECOND = 64;
  private static final double LOW_DELAY_MS = 1000;

  /// Reads the operator's table, or the built-in one.
  ///
  /// @throws ConfigurationException if the table is wrong; the message names file, place, value and
  ///   rule
  public static Classifier classifier(Optional<Path> file) {
    Applications table =
        file.map(path -> ConfigurationFile.load(path, Applications.class))
            .orElseGet(() -> ConfigurationFile.defaults(Applications.class));
    try {
      return table.classifier();
    } catch (IllegalArgumentException e) {
      String where = file.map(Path::toString).orElse("built-in applications");
      throw new ConfigurationException(where + ": " + e.getMessage());
    }
  }

  Classifier classifier() {
    limit("applications", applications.size(), APPLICATIONS_MAX);
    limit("rules", rules.size(), RULES_MAX);
    Map<String, Application> byName = new LinkedHashMap<>();
    for (Map<String, Object> row : applications) {
      Application application = application(byName.size(), row);
      if (byName.putIfAbsent(application.name(), application) != null) {
        throw new IllegalArgumentException("application '" + application.name() + "' stands twice");
      }
    }
    List<Rule> parsed = new ArrayList<>();
    for (Map<String, Object> row : rules) {
      int number = parsed.size() + 1;
      Rule rule = rule("rule " + number, row);
      if (!byName.containsKey(rule.application())) {
        throw new IllegalArgumentException(
            "rule %d: unknown application '%s'; known: %s"
                .formatted(number, rule.application(), String.join(", ", byName.keySet())));
      }
      for (int earlier = 0; earlier < parsed.size(); earlier++) {
        if (rule.asksTheSameAs(parsed.get(earlier))) {
          throw new IllegalArgumentException(
              "rule %d (%s) can never decide: rule %d asks the same"
                  .formatted(number, rule.application(), earlier + 1));
        }
      }
      parsed.add(rule);
    }
    return new Classifier(List.copyOf(byName.values()), parsed);
  }

  private static Application application(int index, Map<String, Object> row) {
    String where = "application " + (index + 1);
    known(where, row, Set.of("name", "class", "min-kbit-per-second", "max-delay-ms"));
    String name = text(where, row, "name");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "%s: name must be 1 to 40 of a-z, 0-9 and ._-, got '%s'".formatted(where, name));
    }
    return new Application(index, name, serviceClass("application '" + name + "'", row));
  }

  private static ServiceClass serviceClass(String where, Map<String, Object> row) {
    @Nullable Double throughput = number(where, row, "min-kbit-per-second");
    @Nullable Double delay = number(where, row, "max-delay-ms");
    Object given = row.get("class");
    if (given == null) {
      if (throughput == null && delay == null) {
        throw new IllegalArgumentException(
            where + ": needs a class, or numbers from which it follows");
      }
      boolean high = throughput != null && throughput >= HIGH_THROUGHPUT_KBIT_PER_SECOND;
      boolean low = delay != null && delay <= LOW_DELAY_MS;
      return ServiceClass.valueOf((high ? "HT" : "LT") + (low ? "_LD" : "_HD"));
    }
    for (ServiceClass value : ServiceClass.values()) {
      if (value.name().equals(given)) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "%s: class must be one of %s, got '%s'"
            .formatted(
                where,
                Arrays.stream(ServiceClass.values())
                    .map(Enum::name)
                    .collect(Collectors.joining(", ")),
                given));
  }

  private static Rule rule(String where, Map<String, Object> row) {
    known(where, row, Set.of("application", "process", "protocol", "ports", "local-ports"));
    String application = text(where, row, "application");
    int protocol =
        switch (String.valueOf(row.getOrDefault("protocol", "any"))) {
          case "any" -> 0;
          case "tcp" -> FlowIdentity.TCP;
          case "udp" -> FlowIdentity.UDP;
          case String other ->
              throw new IllegalArgumentException(
                  where + ": protocol must be tcp, udp or any, got '" + other + "'");
        };
    Set<String> process =
        list(where, row, "process").stream().map(String::valueOf).collect(Collectors.toSet());
    Rule rule =
        new Rule(
            application,
            process,
            protocol,
            ranges(where, row, "ports"),
            ranges(where, row, "local-ports"));
    if (row.size() < 2) {
      throw new IllegalArgumentException(
          where + " (" + application + "): needs a process, a protocol or ports");
    }
    return rule;
  }

  private static List<PortRange> ranges(String where, Map<String, Object> row, String key) {
    try {
      return list(where, row, key).stream().map(String::valueOf).map(PortRange::of).toList();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(where + ": " + key + ": " + e.getMessage(), e);
    }
  }

  private static List<?> list(String where, Map<String, Object> row, String key) {
    Object value = row.getOrDefault(key, List.of());
    if (value instanceof List<?> list) {
      return list;
    }
    throw new IllegalArgumentException(
        "%s: %s must be a list, such as [a, b], got '%s'".formatted(where, key, value));
  }

  private static @Nullable Double number(String where, Map<String, Object> row, String key) {
    Object value = row.get(key);
    if (value == null) {
      return null;
    }
    if (value instanceof Number number && number.doubleValue() > 0) {
      return number.doubleValue();
    }
    throw new IllegalArgumentException(
        "%s: %s must be a number above 0, got '%s'".formatted(where, key, value));
  }

  private static String text(String where, Map<String, Object> row, String key) {
    if (row.get(key) instanceof String text) {
      return text;
    }
    throw new IllegalArgumentException(where + ": needs the key '" + key + "'");
  }

  private static void known(String where, Map<String, Object> row, Set<String> keys) {
    for (String key : row.keySet()) {
      if (!keys.contains(key)) {
        throw new IllegalArgumentException(
            "%s: unknown key '%s'; known keys there: %s"
                .formatted(where, key, keys.stream().sorted().collect(Collectors.joining(", "))));
      }
    }
  }

  private static void limit(String what, int count, int most) {
    if (count > most) {
      throw new IllegalArgumentException(
          "at most %d %s may stand in the table, got %d".formatted(most, what, count));
    }
  }
}
