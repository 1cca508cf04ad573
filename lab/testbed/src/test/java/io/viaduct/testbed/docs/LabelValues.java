package io.viaduct.testbed.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Looks up the values that a metric's labels can have: the quoted words in the source files that
/// register the metric, and, in lower case, the constants of the enums which those files name or
/// which the types that they name have to do with.
final class LabelValues {
  private static final Pattern NAME = Pattern.compile("\"(viaduct[._][a-z._]*[a-z])\\.?\"");
  private static final Pattern WORD = Pattern.compile("\"([a-z][a-z_0-9-]*)\"");
  private static final Pattern TYPE = Pattern.compile("\\b[A-Z]\\w+\\b");
  private static final Pattern COMMENT = Pattern.compile("//.*|/\\*(?s:.*?)\\*/");
  private static final Pattern JAVA_ENUM =
      // Possessive, because a group that may be matched again needs a stack frame per repetition.
      Pattern.compile("\\benum\\s+(\\w+)[^{]*\\{((?:[^;}\"]++|\"[^\"]*+\")*+)");
  private static final Pattern PROTO_ENUM = Pattern.compile("\\benum\\s+(\\w+)\\s*\\{([^}]*)}");
  private static final Pattern CONSTANT = Pattern.compile("\\b([A-Z][A-Z0-9_]+)\\b");

  private final Map<String, Set<String>> constants = new HashMap<>();
  private final Map<String, Set<String>> ofMetric = new HashMap<>();

  private LabelValues() {}

  static LabelValues ofAllModules() {
    LabelValues values = new LabelValues();
    Map<Path, String> sources = sources();
    Map<String, String> byType = new HashMap<>();
    sources.forEach((file, text) -> {
      boolean java = file.toString().endsWith(".java");
      values.readEnums(java ? JAVA_ENUM : PROTO_ENUM, text);
      byType.put(file.getFileName().toString().replace(".java", ""), text);
    });
    sources.values().forEach(text -> values.readMetrics(text, byType));
    return values;
  }

  private static Map<Path, String> sources() {
    Map<Path, String> sources = new HashMap<>();
    try {
      for (Path main :
          Documents.modules().stream().map(module -> module.resolve("src/main")).toList()) {
        if (Files.isDirectory(main)) {
          try (Stream<Path> files = Files.walk(main)) {
            files
                .filter(file -> file.toString().matches(".*\\.(java|proto)"))
                .forEach(file ->
                    sources.put(file, COMMENT.matcher(Documents.read(file)).replaceAll("")));
          }
        }
      }
      return sources;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readEnums(Pattern form, String text) {
    for (MatchResult type : Documents.matches(form, text)) {
      Set<String> names = constants.computeIfAbsent(type.group(1), _ -> new TreeSet<>());
      Documents.matches(CONSTANT, type.group(2))
          .forEach(one -> names.add(one.group(1).toLowerCase(Locale.ROOT)));
    }
  }

  private void readMetrics(String text, Map<String, String> byType) {
    if (!NAME.matcher(text).find()) {
      return;
    }
    Set<String> types = new HashSet<>(typesOf(text));
    typesOf(text).forEach(type -> types.addAll(typesOf(byType.getOrDefault(type, ""))));
    Set<String> values = new HashSet<>();
    types.forEach(type -> values.addAll(constants.getOrDefault(type, Set.of())));
    Documents.matches(WORD, text).forEach(one -> values.add(one.group(1)));
    for (MatchResult metric : Documents.matches(NAME, text)) {
      ofMetric
          .computeIfAbsent(metric.group(1).replace('.', '_'), _ -> new TreeSet<>())
          .addAll(values);
    }
  }

  private static Set<String> typesOf(String text) {
    return TYPE.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
  }

  /// Returns the values that labels of a metric may have; empty if no source registers it.
  ///
  /// @param metric as it is scraped, with the ending that Prometheus adds
  Set<String> of(String metric) {
    String name = metric;
    while (!ofMetric.containsKey(name) && name.contains("_")) {
      name = name.substring(0, name.lastIndexOf('_'));
    }
    return ofMetric.getOrDefault(name, Set.of());
  }

  /// Answers whether any enum of ours has this constant, whatever its case.
  boolean haveConstant(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return constants.values().stream()
        .flatMap(Set::stream)
        .anyMatch(known -> known.equals(lower) || known.endsWith("_" + lower));
  }
}
